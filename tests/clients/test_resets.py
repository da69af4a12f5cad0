"""Streams and calls that a proxy resets, because it lost its server: resumed or repeated under the same name."""

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from clerestory.clients import Advisor, AdvisorError, AsyncAdvisor
from clerestory.clients.retries import BROKEN_PAUSES
from clerestory.v1 import games_pb2 as api
from clerestory.v1.games_pb2_grpc import GameServiceServicer, add_GameServiceServicer_to_server
from tests.clients import fake

RESET = "Received RST_STREAM with error code 2"
OVER = 5  # the version at which a game ends

serving = partial(fake.serving, add=add_GameServiceServicer_to_server)


class Resetting(GameServiceServicer):
    """Shows one more version of a game with each stream, and breaks it; breaks each name's first call, too.

    Attributes:
        code: with which a stream or call breaks.
        reason: of the error; "" for none, as where a proxy made it.
        asked: `from_version` of each stream, the name of each other call.
    """

    def __init__(self, code: grpc.StatusCode, reason: str = "") -> None:
        self.code, self.reason = code, reason
        self.asked: list[Any] = []

    def broken(self, context: Any) -> None:
        """End a call as a proxy does, or with a reason."""
        if self.reason:
            status = Status(code=self.code.value[0])
            status.details.add().Pack(ErrorInfo(reason=self.reason, domain="clerestory"))
            context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
        context.abort(self.code, RESET)

    def WatchGame(self, request: Any, context: Any) -> Iterator[api.WatchGameResponse]:  # noqa: N802
        self.asked.append(request.from_version if request.HasField("from_version") else None)
        version = len(self.asked)
        yield api.WatchGameResponse(game=api.Game(game_id="x", version=version))
        if version < OVER:
            self.broken(context)

    def JoinGame(self, request: Any, context: Any) -> api.JoinGameResponse:  # noqa: N802
        self.once(request, context)
        return api.JoinGameResponse(seat_token=api.SeatToken(seat=1, token="secret"))

    def CreateGame(self, request: Any, context: Any) -> api.CreateGameResponse:  # noqa: N802
        self.once(request, context)
        return api.CreateGameResponse(game=api.Game(game_id="x"))

    def once(self, request: Any, context: Any) -> None:
        """Break the first call."""
        self.asked.append(request.request_id)
        if len(self.asked) == 1:
            self.broken(context)


def watch(target: str) -> list[int]:
    """Return the versions that a watcher sees."""
    with Advisor(target) as advisor, advisor.games.open("x").watch() as states:
        return [state.version for state in states]


def watch_in_a_loop(target: str) -> list[int]:
    async def versions() -> list[int]:
        async with AsyncAdvisor(target) as advisor, advisor.games.open("x").watch() as states:
            return [state.version async for state in states]

    return asyncio.run(versions())


def make_and_join(target: str) -> None:
    with Advisor(target) as advisor:
        advisor.games.create("toy", ["person", "open"])
        advisor.games.join("x")


def make_and_join_in_a_loop(target: str) -> None:
    async def both() -> None:
        async with AsyncAdvisor(target) as advisor:
            await advisor.games.create("toy", ["person", "open"])
            await advisor.games.join("x")

    asyncio.run(both())


WATCH = pytest.mark.parametrize("seen", [watch, watch_in_a_loop], ids=["sync", "async"])
JOIN = pytest.mark.parametrize("join", [make_and_join, make_and_join_in_a_loop], ids=["sync", "async"])
CODES = pytest.mark.parametrize("code", [grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN])


@WATCH
@CODES
def test_a_stream_that_is_reset_goes_on_where_it_broke_off(
    seen: Callable[[str], list[int]], code: grpc.StatusCode
) -> None:
    servicer = Resetting(code)
    with serving(servicer) as target:
        assert seen(target) == [1, 2, 3, 4, 5]
    assert servicer.asked == [None, 1, 2, 3, 4]


@WATCH
def test_an_error_of_the_server_itself_ends_a_stream(seen: Callable[[str], list[int]]) -> None:
    servicer = Resetting(grpc.StatusCode.INTERNAL, "INTERNAL")
    with serving(servicer) as target, pytest.raises(AdvisorError, match="RST_STREAM"):
        seen(target)
    assert len(servicer.asked) == 1


@JOIN
@CODES
def test_a_call_that_is_reset_is_repeated_under_its_name(join: Callable[[str], None], code: grpc.StatusCode) -> None:
    servicer = Resetting(code)
    with serving(servicer) as target:
        join(target)
    first, again, other = servicer.asked
    assert first == again != other
    assert first
    assert other


def test_what_breaks_again_and_again_is_given_up() -> None:
    class Broken(Resetting):
        def WatchGame(self, request: Any, context: Any) -> Iterator[api.WatchGameResponse]:  # noqa: N802
            self.asked.append(None)
            self.broken(context)
            yield api.WatchGameResponse()

    servicer = Broken(grpc.StatusCode.UNKNOWN)
    with serving(servicer) as target, pytest.raises(AdvisorError, match="RST_STREAM"):
        watch(target)
    assert len(servicer.asked) == len(BROKEN_PAUSES) + 1
