"""Streams of games whose server is gone without a word, as its machine is or a proxy has lost it: asked for again."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from typing import Any

import pytest

from clerestory.clients import Advisor, AsyncAdvisor, Unavailable, connection
from clerestory.v1 import games_pb2 as api
from clerestory.v1.games_pb2_grpc import GameServiceServicer, add_GameServiceServicer_to_server
from tests.clients import fake
from tests.clients.relay import muting

ENOUGH = 30  # seconds; far less than gRPC's own patience with a server that does not acknowledge anything
SHORT = 20  # times by which what a connection waits for is shorter

serving = partial(fake.serving, add=add_GameServiceServicer_to_server)


class Mute(GameServiceServicer):
    """Shows one more version of a game with each stream, and then nothing until that is left; the last one ends.

    Attributes:
        last: number of the last stream.
        asked: `from_version` of each stream, None for none.
    """

    def __init__(self, last: int) -> None:
        self.last = last
        self.asked: list[int | None] = []

    def WatchGame(self, request: Any, context: Any) -> Iterator[api.WatchGameResponse]:  # noqa: N802
        self.asked.append(request.from_version if request.HasField("from_version") else None)
        left, version = threading.Event(), len(self.asked)
        context.add_callback(left.set)
        yield api.WatchGameResponse(game=api.Game(game_id="x", version=version))
        if version < self.last:
            left.wait(ENOUGH)


def watch(target: str, seen: Callable[[], None], **options: Any) -> list[int]:
    """Return the versions that a watcher sees who has not the patience of gRPC; `seen` is called after each."""
    versions = []
    with Advisor(target, **options) as advisor, advisor.games.open("x").watch() as states:
        leaving = threading.Timer(ENOUGH, states.close)
        leaving.start()
        for state in states:
            versions.append(state.version)
            seen()
        leaving.cancel()
    return versions


def watch_in_a_loop(target: str, seen: Callable[[], None], **options: Any) -> list[int]:
    async def versions() -> list[int]:
        found = []
        async with AsyncAdvisor(target, **options) as advisor, advisor.games.open("x").watch() as states:
            async with asyncio.timeout(ENOUGH):
                async for state in states:
                    found.append(state.version)
                    seen()
        return found

    return asyncio.run(versions())


WATCH = pytest.mark.parametrize("watched", [watch, watch_in_a_loop], ids=["sync", "async"])


@WATCH
def test_a_stream_that_falls_silent_is_begun_again_where_it_was(watched: Callable[..., list[int]]) -> None:
    servicer = Mute(last=3)
    with serving(servicer) as target:
        assert watched(target, lambda: None, silence=0.2) == [1, 2, 3]
    assert servicer.asked == [None, 1, 2]


@WATCH
@pytest.mark.parametrize("options", [{"patience": 0}, {"retries": False}])
def test_who_does_not_wait_is_told_of_the_silence(watched: Callable[..., list[int]], options: dict[str, Any]) -> None:
    with serving(Mute(last=2)) as target, pytest.raises(Unavailable, match=r"^no sign of the server for 0\.2 s$"):
        watched(target, lambda: None, silence=0.2, **options)


@WATCH
def test_a_connection_that_falls_silent_is_left(
    watched: Callable[..., list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though something in between takes what is sent on it."""
    sooner = [(name, value // SHORT if name.endswith("_ms") else value) for name, value in connection.RECONNECT]
    monkeypatch.setattr(connection, "RECONNECT", sooner)
    with serving(Mute(last=2)) as target, muting(("localhost", int(target.rpartition(":")[2]))) as (relayed, mute):
        assert watched(relayed, mute.set, silence=inf) == [1, 2]
