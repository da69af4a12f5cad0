"""Streams begin one at a time, after the calls that have arrived."""

import asyncio

import pytest

from clerestory.server.hardening import newcomers
from clerestory.server.hardening.newcomers import LONGEST, QUIET, Newcomers
from tests.server.rpc.harness import LoopClock, Served, until


@pytest.fixture
async def clock(monkeypatch: pytest.MonkeyPatch) -> LoopClock:
    """Return a clock that a test sets forward; streams wait for it alone."""
    for name in ("QUIET", "LONGEST"):
        monkeypatch.setattr(newcomers, name, 1e6 * getattr(newcomers, name))
    return LoopClock()


async def test_streams_begin_one_at_a_time_by_turns_of_their_callers(clock: LoopClock) -> None:
    waiting, begun = Newcomers(), list[str]()

    async def begin(name: str, caller: str) -> None:
        waiting.note()
        await waiting.turn(caller)
        begun.append(name)

    streams = [asyncio.ensure_future(begin(name, name[0])) for name in ("a1", "a2", "a3", "b1")]
    await asyncio.sleep(0.01)
    assert not begun
    clock.advance(1e6 * QUIET)
    await asyncio.gather(*streams)
    assert begun == ["a1", "a2", "b1", "a3"]
    await waiting.turn("a")  # no call has arrived since


async def test_a_stream_waits_while_calls_arrive_but_not_for_ever(clock: LoopClock) -> None:
    waiting, rounds = Newcomers(), 0
    stream = asyncio.ensure_future(waiting.turn("a"))
    while not stream.done():
        waiting.note()
        rounds += 1
        clock.advance(1e6 * QUIET / 2)
        await asyncio.sleep(0.002)
    assert 2 * LONGEST / QUIET <= rounds <= 2 + 2 * LONGEST / QUIET


async def test_calls_that_arrive_come_before_streams_that_begin(server: Served, clock: LoopClock) -> None:
    """Hundreds of streams are accepted and wait; a health check is answered before the first of them begins."""
    path = "/clerestory.v1.GameService/WatchGame"
    streams = [server.channel.unary_stream(path)(b"") for _ in range(100)]
    await until(lambda: server.app.admission.newcomers.arrived >= len(streams))
    assert await server.channel.unary_unary("/grpc.health.v1.Health/Check")(b"")
    assert not any(stream.done() for stream in streams)
    for stream in streams:
        stream.cancel()
