"""Servers under test, on real sockets, and requests for them."""

import asyncio
import gc
import io
import logging
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, redirect_stderr
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import grpc
import pytest
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status

from clerestory.cli.positions import first_decision
from clerestory.clients.wire import duration, position_message
from clerestory.declared import declarations
from clerestory.engine import State
from clerestory.server.app import App, serve, start
from clerestory.server.config import LogSettings, Settings
from clerestory.server.lifecycle import Lifecycle
from clerestory.server.logs import write_logs
from clerestory.service_errors import Reason
from clerestory.v1.advisor_pb2 import RecommendMoveRequest
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.games_pb2_grpc import GameServiceStub
from clerestory.v1.rules_pb2_grpc import RulesServiceStub

HOUR = duration(3600)
FORMATS: tuple[str, ...] = declarations(LogSettings)["log_format"].range.words


@dataclass(frozen=True)
class Served:
    app: App
    channel: grpc.aio.Channel
    advisor: Any
    rules: Any
    games: Any


@asynccontextmanager
async def served(**settings: Any) -> AsyncIterator[Served]:
    app = await start(Settings(**{"listen": "127.0.0.1:0", "workers": 1, "grace": 60.0} | settings))
    try:
        async with grpc.aio.insecure_channel(app.address) as channel:
            stubs = AdvisorServiceStub(channel), RulesServiceStub(channel), GameServiceStub(channel)
            yield Served(app, channel, *stubs)
    finally:
        await app.finish()


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[tuple[App, Lifecycle]]:
    """Serve as the command does, until asked to stop or the end of the block; signals are handled."""
    ready: asyncio.Future[App] = asyncio.get_running_loop().create_future()

    @asynccontextmanager
    async def beside(app: App) -> AsyncIterator[None]:
        ready.set_result(app)
        yield

    life = Lifecycle()
    with patch("clerestory.server.app.take_turns"), patch("clerestory.server.app.take_descriptors"):
        task = asyncio.ensure_future(serve(settings, beside, life))
        try:
            yield await ready, life
        finally:
            life.end("enough")
            await task
            gc.unfreeze()
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().remove_signal_handler(number)


@contextmanager
def logged(form: str) -> Iterator[io.StringIO]:
    """Yield what is logged meanwhile, in one of the formats, but nothing of servers that tests share."""
    root, written = logging.getLogger(), io.StringIO()
    before, level = root.handlers[:], root.level
    with redirect_stderr(written), patch.dict(os.environ):
        write_logs(form)
    root.handlers[0].addFilter(lambda record: record.threadName != "server under test")
    try:
        yield written
    finally:
        root.handlers[:] = before
        root.setLevel(level)


def opening(seats: int = 2, seed: int = 7, game: str = "toy") -> State:
    return first_decision(game, seats, seed)


def question(position: State | None = None, **fields: Any) -> RecommendMoveRequest:
    return RecommendMoveRequest(position=position_message(position or opening()), **{"early_stop": False} | fields)


def long_question() -> RecommendMoveRequest:
    """Return a question that occupies a worker until the end of the test, unless something ends it before."""
    return question(time_budget=HOUR)


@asynccontextmanager
async def full_server(**settings: Any) -> AsyncIterator[Served]:
    """A server whose only place for a search is taken."""
    async with served(max_searches=1, **settings) as server:
        running = server.advisor.RecommendMove(long_question())
        await until(lambda: server.app.scheduler.running == 1)
        yield server
        running.cancel()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition; if it never holds, the test fails by its timeout."""
    while not condition():
        await asyncio.sleep(0.002)


class LoopClock:
    """The clock of the running event loop, which a test can set forward; then timers are due without a wait."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self._ahead, real = 0.0, loop.time
        loop.time = lambda: real() + self._ahead  # type: ignore[method-assign]

    def advance(self, seconds: float) -> None:
        """Set the clock forward; timers run when the event loop comes round."""
        self._ahead += seconds

    async def advance_until(self, condition: Callable[[], bool], seconds: float) -> None:
        """Set the clock forward, time and again, until a condition holds."""
        while not condition():
            self.advance(seconds)
            await asyncio.sleep(0.002)


async def refusal(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value


def details(error: Any, kind: type[Message]) -> Any:
    """Return the one detail of a kind that an error carries."""
    found = []
    for packed in rpc_status.from_call(error).details:
        detail = kind()
        if packed.Unpack(detail):
            found.append(detail)
    assert len(found) == 1, f"{len(found)} details of {kind.__name__}"
    return found[0]


def assert_reason(error: Any, reason: Reason) -> None:
    info = details(error, ErrorInfo)
    assert (info.reason, info.domain) == (reason, "clerestory")


@pytest.fixture
async def clock() -> LoopClock:
    return LoopClock()
