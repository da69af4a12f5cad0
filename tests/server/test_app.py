"""A server from its start to its graceful shutdown, and its other services."""

import asyncio
import gc
import socket
import urllib.request
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import grpc
import pytest
from grpc_channelz.v1.channelz_pb2 import GetServersRequest
from grpc_channelz.v1.channelz_pb2_grpc import ChannelzStub
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest
from grpc_reflection.v1alpha.reflection_pb2_grpc import ServerReflectionStub

from clerestory.clients.connection import dial
from clerestory.server.app import SERVICES, start
from clerestory.server.config import Settings
from clerestory.server.games import due
from clerestory.server.games import manager as manager
from clerestory.server.games.stores import heartbeat
from clerestory.server.gateway.config import GatewaySettings
from clerestory.server.gateway.serve import opened
from clerestory.v1 import games_pb2 as games
from clerestory.v1.advisor_pb2 import STOP_REASON_STOPPED, WARNING_REASON_FINISHING, AnalyzeRequest
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from tests.server.games.table import PERSON
from tests.server.rpc.harness import FORMATS, Served, logged, long_question, refusal, served, serving, until
from tests.server.rpc.test_service import tables


async def test_health_and_reflection_answer_while_all_workers_are_busy() -> None:
    async with served(workers=2) as server:
        calls = [server.advisor.RecommendMove(long_question()) for _ in range(2)]
        await until(lambda: server.app.scheduler.running == 2)
        health: Any = HealthStub(server.channel)
        found = [await health.Check(HealthCheckRequest(service=service)) for service in ("", *SERVICES)]
        stream: Any = ServerReflectionStub(server.channel).ServerReflectionInfo()
        await stream.write(ServerReflectionRequest(list_services=""))
        listed = (await stream.read()).list_services_response.service
        await stream.done_writing()
        for call in calls:
            call.cancel()
    assert {answer.status for answer in found} == {HealthCheckResponse.SERVING}
    assert {service.name for service in listed} >= {"clerestory.v1.AdvisorService", "grpc.health.v1.Health"}


async def test_every_admitted_call_is_answered_at_the_end() -> None:
    async with (
        serving(Settings(listen="127.0.0.1:0", workers=2, grace=600.0)) as (app, life),
        grpc.aio.insecure_channel(app.address) as channel,
    ):
        advisor = AdvisorServiceStub(channel)
        moves = [asyncio.ensure_future(advisor.RecommendMove(long_question())) for _ in range(4)]
        hints = [
            asyncio.ensure_future(tables(advisor.Analyze(AnalyzeRequest(question=long_question())))) for _ in range(2)
        ]
        await until(lambda: app.scheduler.admitted == 6)
        watch: Any = HealthStub(channel).Watch(HealthCheckRequest())
        assert (await watch.read()).status == HealthCheckResponse.SERVING
        life.end("enough")
        assert (await watch.read()).status == HealthCheckResponse.NOT_SERVING
        assert await watch.read() is grpc.aio.EOF
        finals = [stream[-1] for stream in await asyncio.gather(*hints)]
        answers = [*await asyncio.gather(*moves), *(table.recommendation for table in finals)]
    assert [table.final for table in finals] == [True] * 2
    for answer in answers:
        assert answer.lines
        assert answer.statistics.stop_reason == STOP_REASON_STOPPED
        assert WARNING_REASON_FINISHING in [warning.reason for warning in answer.warnings]


async def test_a_socket_in_use_is_not_taken_from_its_server_but_a_stale_one_is(tmp_path: Path) -> None:
    path = f"unix:{tmp_path / 'socket'}"
    async with served(listen=path) as server:
        with pytest.raises(OSError, match=r"cannot listen on unix:.*: another process does"):
            await start(Settings(listen=path, workers=1))
        await HealthStub(server.channel).Check(HealthCheckRequest(), wait_for_ready=False)
    with socket.socket(socket.AF_UNIX) as stale:  # as left by a killed server
        stale.bind(path.removeprefix("unix:"))
    async with served(listen=path) as server:
        await HealthStub(server.channel).Check(HealthCheckRequest())


async def test_an_address_that_cannot_be_opened_is_an_error(server: Served, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=f"no socket can be made in {tmp_path}/none"):
        await start(Settings(listen=f"unix:{tmp_path}/none/socket", workers=1))
    with pytest.raises(OSError, match="cannot listen on"):
        await start(Settings(listen=server.app.address, workers=1))


async def test_the_objects_of_a_server_are_not_scanned_for_garbage() -> None:
    """A collection of everything stops the event loop for tens of milliseconds."""
    async with serving(Settings(listen="127.0.0.1:0", workers=1)) as (app, _):
        assert not any(one is app.scheduler for one in gc.get_objects())


async def test_channelz_and_health_answer_on_the_admin_port_only() -> None:
    async with served(admin="127.0.0.1:0") as server:
        assert (await refusal(ChannelzStub(server.channel).GetServers(GetServersRequest()))).code() == (
            grpc.StatusCode.UNIMPLEMENTED
        )
        async with grpc.aio.insecure_channel(server.app.admin.address) as admin:
            answer: Any = await ChannelzStub(admin).GetServers(GetServersRequest())
            health = await HealthStub(admin).Check(HealthCheckRequest(service="clerestory.v1.AdvisorService"))
    assert len(answer.server) >= 2
    assert health.status == HealthCheckResponse.SERVING


ROUNDS = 5  # of all periodic work
SOON = 0.002  # seconds, in place of seconds, minutes and hours
OFTEN = 0.05  # seconds between heartbeats
FORGIVEN = 1000  # heartbeats that a server may miss before it counts as dead, which it would log
PERIODS = {
    manager: ("STORE_COUNT_INTERVAL_S", "HEALTH_CHECK_INTERVAL_S", "CLEANUP_INTERVAL_S"),
    due: ("SCAN_INTERVAL_S", "MIN_SCAN_INTERVAL_S"),
}
HOURLY = ("forget_requests", "tally", "due")  # methods of a store that periodic work calls


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, names in PERIODS.items():
        for name in names:
            monkeypatch.setattr(module, name, SOON)
    monkeypatch.setattr(heartbeat, "BEAT", OFTEN)
    monkeypatch.setattr(heartbeat, "MISSED", FORGIVEN)


def counted(monkeypatch: pytest.MonkeyPatch, store: Any) -> list[AsyncMock]:
    asked = {name: AsyncMock(wraps=getattr(store, name)) for name in HOURLY}
    for name, ask in asked.items():
        monkeypatch.setattr(store, name, ask)
    return [*asked.values()]


async def watched_from_outside(server: Served, page: str, metrics: int) -> None:
    """Call a server like a load balancer, Prometheus, and a user who opens the page."""
    await HealthStub(server.channel).Check(HealthCheckRequest())
    for url in (page, f"http://127.0.0.1:{metrics}/metrics"):
        with await asyncio.to_thread(urllib.request.urlopen, url) as answer:
            assert answer.status == 200


async def idle(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = counted(monkeypatch, server.app.manager.store)
    assert server.app.exposition is not None
    async with opened(GatewaySettings("127.0.0.1:0"), dial(server.app.address, None, None, retries=False)) as gateway:
        await watched_from_outside(server, gateway.url, server.app.exposition.port)
        await until(lambda: all(one.await_count >= ROUNDS for one in rounds))


async def begun(server: Served) -> None:
    await server.games.CreateGame(games.CreateGameRequest(game="toy", seats=[PERSON, PERSON]))


@pytest.mark.parametrize("form", FORMATS)
async def test_an_idle_server_logs_nothing(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = str(tmp_path / "games.sqlite")
    async with served(store=store) as server:
        await begun(server)
    hurry(monkeypatch)
    with logged(form) as log:
        async with served(store=store, metrics="127.0.0.1:0", game_retention_days=30.0) as server:
            await idle(server, monkeypatch)
    assert log.getvalue() == ""


@pytest.mark.system
async def test_with_a_database_it_logs_nothing(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)
    with logged("text") as log:
        async with served(store=database, metrics="127.0.0.1:0") as server:
            await idle(server, monkeypatch)
    assert log.getvalue() == ""
