"""Health on both ports, and an admin port that answers while the event loop does not."""

import asyncio
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2
from grpc_health.v1.health_pb2 import HealthCheckRequest
from grpc_health.v1.health_pb2_grpc import HealthStub
from grpc_reflection.v1alpha.reflection_pb2_grpc import ServerReflectionStub

from clerestory.server import admin
from clerestory.server.admin import MAX_MISSED, NOT_SERVING, SERVING, AdminHealth, Health
from clerestory.server.app import SERVICES, start
from clerestory.server.config import Settings
from clerestory.server.rpc.admission import OPERATORS, STREAMS_OF_OPERATOR
from tests.server.rpc.harness import Served, served, serving

PATIENCE = 60  # seconds that a broken server may take until the test fails
GAMES, ADVISOR = "clerestory.v1.GameService", "clerestory.v1.AdvisorService"
MESSAGES: Any = health_pb2  # whose type stubs lack the messages of `List`


def statuses(health: AdminHealth) -> dict[str, Any]:
    return {name: answer.status for name, answer in health.List(None, None).statuses.items()}


def reported(**services: Any) -> AdminHealth:
    health = AdminHealth()
    for name, status in services.items():
        health.report(name, status)
    return health


# -- heartbeats ------------------------------------------------------------------------------------


def test_nothing_serves_while_the_event_loop_hangs() -> None:
    health = reported(advice=SERVING, games=NOT_SERVING)
    before = statuses(health)
    health.beat()
    for _ in range(MAX_MISSED + 1):
        health.look()
    assert statuses(health) == before  # the first look saw the heartbeat
    health.look()
    assert {*statuses(health).values()} == {NOT_SERVING}
    health.beat()
    health.look()
    assert statuses(health) == before == {"": SERVING, "advice": SERVING, "games": NOT_SERVING}


def test_a_loop_that_beats_once_in_a_while_does_not_hang() -> None:
    health = reported()
    for _ in range(5):
        health.beat()
        for _ in range(MAX_MISSED):
            health.look()
    assert not health.hung


def test_what_is_reported_while_the_event_loop_hangs_holds_afterwards() -> None:
    health = reported(games=SERVING)
    for _ in range(MAX_MISSED + 1):
        health.look()
    health.report("games", NOT_SERVING)
    health.report("advice", SERVING)
    assert {*statuses(health).values()} == {NOT_SERVING}
    health.beat()
    health.look()
    assert statuses(health) == {"": SERVING, "games": NOT_SERVING, "advice": SERVING}


async def test_a_server_that_drains_does_not_serve_again() -> None:
    health = Health()
    await health.report(GAMES, serving=True)
    await health.drain()
    await health.report(GAMES, serving=True)
    health.admin.beat()
    health.admin.look()
    request = HealthCheckRequest(service=GAMES)
    for answer in (health.admin.Check(request, None), await health.main.Check(request, None)):
        assert answer.status == NOT_SERVING
    assert {*statuses(health.admin).values()} == {NOT_SERVING}


# -- the port --------------------------------------------------------------------------------------


def admin_stub(server: Served) -> tuple[Any, Any]:
    """Return a channel of threads to the admin port, and its health stub."""
    assert server.app.admin is not None
    channel = grpc.insecure_channel(server.app.admin.address)
    return channel, HealthStub(channel)


async def blocked_during(ask: Callable[[], Any]) -> Any:
    """Block the event loop until a thread has its answer."""
    ended = Event()

    def asked() -> Any:
        try:
            return ask()
        finally:
            ended.set()

    asking = asyncio.create_task(asyncio.to_thread(asked))
    await asyncio.sleep(0)  # the thread begins
    assert ended.wait(PATIENCE)
    return await asking


async def test_the_admin_port_answers_while_the_event_loop_is_busy() -> None:
    async with served(admin="127.0.0.1:0") as server:
        channel, stub = admin_stub(server)
        with channel:
            request = HealthCheckRequest(service=ADVISOR)
            answer = await blocked_during(lambda: stub.Check(request, timeout=PATIENCE))
    assert answer.status == SERVING


async def test_a_watch_on_the_admin_port_sees_the_event_loop_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin, "BEAT_S", 0.01)
    async with served(admin="127.0.0.1:0") as server:
        channel, stub = admin_stub(server)

        def until(watch: Iterator[Any], status: Any) -> Any:
            return next(answer.status for answer in watch if answer.status == status)

        with channel:
            watch = stub.Watch(HealthCheckRequest(), timeout=PATIENCE)
            assert await asyncio.to_thread(until, watch, SERVING) == SERVING
            assert await blocked_during(lambda: until(watch, NOT_SERVING)) == NOT_SERVING
            assert await asyncio.to_thread(until, watch, SERVING) == SERVING


async def test_open_streams_of_reflection_delay_no_health_check() -> None:
    async with served(admin="127.0.0.1:0") as server:
        channel, stub = admin_stub(server)
        with channel:
            ended = Event()
            reflection: Any = ServerReflectionStub(channel)  # type: ignore[no-untyped-call]
            streams = [reflection.ServerReflectionInfo(iter(ended.wait, True)) for _ in range(STREAMS_OF_OPERATOR - 1)]
            answer = await asyncio.to_thread(stub.Check, HealthCheckRequest(), timeout=PATIENCE)
            ended.set()
            for stream in streams:
                stream.cancel()
    assert answer.status == SERVING


async def test_many_open_connections_delay_no_health_check() -> None:
    async with served(admin="127.0.0.1:0") as server:
        assert server.app.admin is not None
        own = [("grpc.use_local_subchannel_pool", 1)]  # a connection for each channel
        channels = [grpc.insecure_channel(server.app.admin.address, own) for _ in range(OPERATORS)]
        stubs: list[Any] = [HealthStub(channel) for channel in channels]
        watches = [stub.Watch(HealthCheckRequest(), timeout=PATIENCE) for stub in stubs[1:]]
        seen = await asyncio.to_thread(lambda: [next(watch).status for watch in watches])
        answer = await asyncio.to_thread(stubs[0].Check, HealthCheckRequest(), timeout=PATIENCE)
        for channel in channels:
            channel.close()
    assert len(seen) == OPERATORS - 1 >= 31
    assert {*seen, answer.status} == {SERVING}


async def test_both_ports_list_every_service() -> None:
    async with served(admin="127.0.0.1:0") as server:
        channel, stub = admin_stub(server)
        with channel:
            ours = await asyncio.to_thread(stub.List, MESSAGES.HealthListRequest())
        main: Any = HealthStub(server.channel)
        assert ours == await main.List(MESSAGES.HealthListRequest())
    assert {name: answer.status for name, answer in ours.statuses.items()} == dict.fromkeys(("", *SERVICES), SERVING)


async def test_an_open_watch_on_the_admin_port_does_not_delay_the_end() -> None:
    settings = Settings(listen="127.0.0.1:0", workers=1, grace=600.0, admin="127.0.0.1:0")
    async with serving(settings) as (app, life):
        assert app.admin is not None
        async with grpc.aio.insecure_channel(app.admin.address) as channel:
            watch: Any = HealthStub(channel).Watch(HealthCheckRequest())
            assert (await watch.read()).status == SERVING
            life.end("enough")
            assert (await watch.read()).status == NOT_SERVING
            with pytest.raises(grpc.aio.AioRpcError):
                await watch.read()


async def test_an_admin_port_that_cannot_be_opened_is_an_error() -> None:
    async with served(admin="127.0.0.1:0") as server:
        assert server.app.admin is not None
        with pytest.raises(OSError, match=f"cannot listen on {server.app.admin.address}: it is in use"):
            await start(Settings(listen="127.0.0.1:0", workers=1, admin=server.app.admin.address))
