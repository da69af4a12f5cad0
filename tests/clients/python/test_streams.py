"""Streams of games that fall silent or are reset by a proxy continue; such calls are retried under the same name."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from clerestory.clients import Advisor, AdvisorError, AsyncAdvisor, Unavailable, connection, streams
from clerestory.clients.retries import BROKEN_PAUSES
from clerestory.v1 import games_pb2 as api
from clerestory.v1.games_pb2_grpc import GameServiceServicer, add_GameServiceServicer_to_server
from tests.clients.python import fake
from tests.clients.python.relay import muting

RESET = "Received RST_STREAM with error code 2"
OVER = 5  # the version at which a game ends
SILENCE = 1234.0  # seconds
SHORT = 20  # divisor of the timeouts of a connection

serving = partial(fake.serving, add=add_GameServiceServicer_to_server)


@dataclass(eq=False)
class Breaking(GameServiceServicer):
    """Shows one more version of a game with each stream, then breaks it; also breaks the first other call."""

    code: grpc.StatusCode | None  # status of a broken stream or call; None if a stream falls silent instead
    reason: str = ""  # of the error; "" for none, as from a proxy
    last: int = OVER
    shows: bool = True  # whether a stream shows anything
    asked: list[Any] = field(default_factory=list)  # `from_version` of each stream, the name of each other call

    def fail(self, context: Any) -> None:
        """End a call like a proxy, or with a reason."""
        assert self.code is not None
        if self.reason:
            status = Status(code=self.code.value[0])
            status.details.add().Pack(ErrorInfo(reason=self.reason, domain="clerestory"))
            context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
        context.abort(self.code, RESET)

    def WatchGame(self, request: Any, context: Any) -> Iterator[api.WatchGameResponse]:  # noqa: N802
        left = threading.Event()
        context.add_callback(left.set)
        self.asked.append(request.from_version if request.HasField("from_version") else None)
        version = len(self.asked)
        if self.shows:
            yield api.WatchGameResponse(game=api.Game(game_id="x", version=version))
        if version == self.last:
            return
        if self.code is None:
            left.wait()
        else:
            self.fail(context)

    def JoinGame(self, request: Any, context: Any) -> api.JoinGameResponse:  # noqa: N802
        self.fail_once(request, context)
        return api.JoinGameResponse(seat_token=api.SeatToken(seat=1, token="secret"))

    def CreateGame(self, request: Any, context: Any) -> api.CreateGameResponse:  # noqa: N802
        self.fail_once(request, context)
        return api.CreateGameResponse(game=api.Game(game_id="x"))

    def fail_once(self, request: Any, context: Any) -> None:
        self.asked.append(request.request_id)
        if len(self.asked) == 1:
            self.fail(context)


def watch(target: str, seen: Callable[[], None] = lambda: None, **options: Any) -> list[int]:
    """Return the versions that a watcher sees; call `seen` after each."""
    versions = []
    with Advisor(target, **options) as advisor, advisor.games.open("x").watch() as states:
        for state in states:
            versions.append(state.version)
            seen()
    return versions


def watch_in_a_loop(target: str, seen: Callable[[], None] = lambda: None, **options: Any) -> list[int]:
    async def read() -> list[int]:
        versions = []
        async with AsyncAdvisor(target, **options) as advisor, advisor.games.open("x").watch() as states:
            async for state in states:
                versions.append(state.version)
                seen()
        return versions

    return asyncio.run(read())


def create_and_join(target: str) -> None:
    with Advisor(target) as advisor:
        advisor.games.create("toy", ["person", "open"])
        advisor.games.join("x")


def create_and_join_in_a_loop(target: str) -> None:
    async def both() -> None:
        async with AsyncAdvisor(target) as advisor:
            await advisor.games.create("toy", ["person", "open"])
            await advisor.games.join("x")

    asyncio.run(both())


WATCH = pytest.mark.parametrize("watch", [watch, watch_in_a_loop], ids=["sync", "async"])
JOIN = pytest.mark.parametrize("join", [create_and_join, create_and_join_in_a_loop], ids=["sync", "async"])
CODES = pytest.mark.parametrize("code", [grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN])


@WATCH
@CODES
def test_a_stream_that_is_reset_goes_on_where_it_was(watch: Callable[..., list[int]], code: grpc.StatusCode) -> None:
    servicer = Breaking(code)
    with serving(servicer) as target:
        assert watch(target) == [1, 2, 3, 4, 5]
    assert servicer.asked == [None, 1, 2, 3, 4]


@WATCH
def test_an_error_with_a_reason_ends_a_stream(watch: Callable[..., list[int]]) -> None:
    servicer = Breaking(grpc.StatusCode.INTERNAL, "INTERNAL")
    with serving(servicer) as target, pytest.raises(AdvisorError, match="RST_STREAM"):
        watch(target)
    assert len(servicer.asked) == 1


def test_a_stream_that_breaks_before_it_shows_anything_is_given_up_in_the_end() -> None:
    servicer = Breaking(grpc.StatusCode.UNKNOWN, last=1000, shows=False)
    with serving(servicer) as target, pytest.raises(AdvisorError, match="RST_STREAM"):
        watch(target)
    assert servicer.asked == [None] * (len(BROKEN_PAUSES) + 1)


@JOIN
@CODES
def test_a_call_that_is_reset_is_repeated_under_its_name(join: Callable[[str], None], code: grpc.StatusCode) -> None:
    servicer = Breaking(code)
    with serving(servicer) as target:
        join(target)
    first, again, other = servicer.asked
    assert first == again != other
    assert first
    assert other


class FakeTimers:
    """Fake timers for both clients: the second wait for a message ends at once, the others never."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._waits = 0
        self._real = asyncio.timeout
        monkeypatch.setattr(streams.threading, "Timer", self.timer)
        monkeypatch.setattr(streams.asyncio, "timeout", self.timeout)

    def expires(self) -> bool:
        self._waits += 1
        return self._waits == 2

    def timer(self, seconds: float, end: Callable[[], None]) -> "FakeTimer":
        assert seconds == SILENCE
        return FakeTimer(end if self.expires() else lambda: None)

    def timeout(self, seconds: float | None) -> asyncio.Timeout:
        """Return a timeout that ends at once, or never; limits other than those of silence stay unchanged."""
        if seconds != SILENCE:
            return self._real(seconds)
        return self._real(0 if self.expires() else None)


class FakeTimer:
    def __init__(self, start: Callable[[], None]) -> None:
        self.start = start

    def cancel(self) -> None:
        pass


@WATCH
def test_a_silent_stream_goes_on_where_it_was(watch: Callable[..., list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    servicer = Breaking(None, last=2)
    with serving(servicer) as target:
        FakeTimers(monkeypatch)
        assert watch(target, silence=SILENCE) == [1, 2]
    assert servicer.asked == [None, 1]


@WATCH
@pytest.mark.parametrize("options", [{"patience": 0}, {"retries": False}])
def test_silence_is_an_error_without_patience_or_retries(
    watch: Callable[..., list[int]], options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(Breaking(None)) as target:
        FakeTimers(monkeypatch)
        with pytest.raises(Unavailable, match=r"^no sign of the server for 1234 s$"):
            watch(target, silence=SILENCE, **options)


class SeenEnoughError(Exception):
    """The watcher has seen enough."""


@pytest.mark.system
@WATCH
def test_a_connection_that_is_silent_is_left(watch: Callable[..., list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy may still accept what is sent."""
    sooner = [(name, value // SHORT if name.endswith("_ms") else value) for name, value in connection.RECONNECT]
    monkeypatch.setattr(connection, "RECONNECT", sooner)
    servicer = Breaking(None, last=0)
    with serving(servicer) as target, muting(("localhost", int(target.rpartition(":")[2]))) as (relayed, mute):

        def seen() -> None:
            if mute.is_set():
                raise SeenEnoughError
            mute.set()

        with pytest.raises(SeenEnoughError):
            watch(relayed, seen, silence=inf)
    assert servicer.asked[:2] == [None, 1]
