"""A server from its start to its graceful shutdown, and its other services."""

import asyncio
import gc
import logging
import os
import signal
import socket
from functools import partial
from pathlib import Path

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest
from grpc_reflection.v1alpha.reflection_pb2_grpc import ServerReflectionStub

from clerestory.server.app import SERVICES, App, serve, start
from clerestory.server.config import Settings
from clerestory.server.life import Life
from clerestory.v1.advisor_pb2 import STOP_REASON_STOPPED
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from tests.server.harness import long_question, question, refusal, served, telling, until


@pytest.mark.parametrize("service", ["", *SERVICES])
async def test_health_answers_while_all_workers_are_busy(service: str) -> None:
    async with served(workers=2) as server:
        calls = [server.advisor.RecommendMove(long_question()) for _ in range(2)]
        await until(lambda: server.app.scheduler.running == 2)
        answer = await HealthStub(server.channel).Check(HealthCheckRequest(service=service))
        for call in calls:
            call.cancel()
    assert answer.status == HealthCheckResponse.SERVING


async def test_reflection_answers_while_all_workers_are_busy() -> None:
    async with served(workers=1) as server:
        call = server.advisor.RecommendMove(long_question())
        await until(lambda: server.app.scheduler.running == 1)
        stream = ServerReflectionStub(server.channel).ServerReflectionInfo()
        await stream.write(ServerReflectionRequest(list_services=""))
        answer = await stream.read()
        await stream.done_writing()
        call.cancel()
    named = {service.name for service in answer.list_services_response.service}
    assert named >= {"clerestory.v1.AdvisorService", "grpc.health.v1.Health"}


async def test_an_idle_server_does_not_serve_once_it_finishes(server: Served) -> None:
    await server.app.health.enter_graceful_shutdown()
    answer = await HealthStub(server.channel).Check(HealthCheckRequest(service=SERVICES[0]))
    assert answer.status == HealthCheckResponse.NOT_SERVING


async def test_a_socket_at_which_a_server_listens_is_not_taken_from_it(tmp_path: Path) -> None:
    path = f"unix:{tmp_path / 'socket'}"
    async with served(listen=path) as server:
        with pytest.raises(OSError, match=r"cannot listen on unix:.*: another process does"):
            await start(Settings(listen=path, workers=1))
        await HealthStub(server.channel).Check(HealthCheckRequest(), wait_for_ready=False)
    with socket.socket(socket.AF_UNIX) as left:  # as by a server that was killed
        left.bind(path.removeprefix("unix:"))
    async with served(listen=path) as server:
        await HealthStub(server.channel).Check(HealthCheckRequest())


async def test_a_socket_that_cannot_be_made_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=f"no socket can be made in {tmp_path}/none"):
        await start(Settings(listen=f"unix:{tmp_path}/none/socket", workers=1))


async def test_what_a_server_is_made_of_is_not_looked_through_for_garbage() -> None:
    """A collection of everything stops the event loop for tens of milliseconds."""
    ready: asyncio.Future[App] = asyncio.get_running_loop().create_future()
    life = Life()
    serving = asyncio.ensure_future(serve(Settings(listen="127.0.0.1:0", workers=1), partial(telling, ready), life))
    app = await ready
    try:
        assert not any(one is app.scheduler for one in gc.get_objects())
    finally:
        gc.unfreeze()
        life.end("enough")
        await serving


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_lets_running_searches_answer(number: int) -> None:
    ready: asyncio.Future[App] = asyncio.get_running_loop().create_future()
    settings = Settings(listen="127.0.0.1:0", workers=2, grace=60.0)
    serving = asyncio.ensure_future(serve(settings, partial(telling, ready), Life()))
    app = await ready
    async with grpc.aio.insecure_channel(app.address) as channel:
        calls = [asyncio.ensure_future(AdvisorServiceStub(channel).RecommendMove(long_question())) for _ in range(2)]
        await until(lambda: app.scheduler.running == 2)
        os.kill(os.getpid(), number)
        answers = await asyncio.gather(*calls)
        await serving
    assert [answer.statistics.stop_reason for answer in answers] == [STOP_REASON_STOPPED] * 2
    assert min(answer.statistics.iterations for answer in answers) > 0


@pytest.mark.parametrize("terminal", [False, True])
async def test_without_files_to_read_again_a_hangup_ends_only_what_a_terminal_began(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A system's service manager sends it to every server alike, and does not start again what it ends."""
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(os, "isatty", lambda _: terminal)
    ready: asyncio.Future[App] = asyncio.get_running_loop().create_future()
    life = Life()
    serving = asyncio.ensure_future(serve(Settings(listen="127.0.0.1:0", workers=1), partial(telling, ready), life))
    await ready
    os.kill(os.getpid(), signal.SIGHUP)
    if not terminal:
        await until(lambda: "no tokens and certificates" in caplog.text)
        assert not serving.done()
        life.end("enough")
    await serving
    gc.unfreeze()


async def test_a_message_too_large_is_not_read(server: Served) -> None:
    request = question(iterations=1)
    request.position.toy.step = "x" * 70_000
    error = await refusal(server.advisor.RecommendMove(request))
    assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_port_in_use_is_an_error(server: Served) -> None:
    with pytest.raises(OSError, match="cannot listen on"):
        await start(Settings(listen=server.app.address, workers=1))
