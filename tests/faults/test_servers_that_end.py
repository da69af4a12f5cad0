"""Servers that exit or are restarted: every admitted call gets an answer, from another server or after the restart."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from clerestory.clients import Advisor, AsyncAdvisor, Recommendation
from clerestory.clients.errors import Busy
from loadtest.server import free_port, own_server
from tests.faults.conftest import POSITION


async def asked(advisor: AsyncAdvisor) -> Recommendation:
    """Return an answer, waiting for minutes at most: the machine may be busy."""
    return await asyncio.wait_for(advisor.recommend(POSITION, 0.3), 300)


@pytest.mark.parametrize(("number", "delay"), [(signal.SIGKILL, "0"), (signal.SIGTERM, "0.5"), (signal.SIGTERM, "0")])
async def test_callers_of_a_replica_that_ends_are_answered_by_the_other(number: signal.Signals, delay: str) -> None:
    """With a delay, callers learn of the shutdown before any call is rejected; without it, by a rejection."""
    drained = ("--workers", "2", "--drain-delay", delay)
    with own_server(*drained) as server, own_server(*drained) as other:
        target = f"ipv4:{server.target},{other.target}"
        async with AsyncAdvisor(target) as advisor:
            await asyncio.gather(*(asked(advisor) for _ in range(4)))
            calls = [asyncio.ensure_future(asked(advisor)) for _ in range(16)]
            await asyncio.sleep(0.1)
            server.process.send_signal(number)
            answers = await asyncio.gather(*calls, *(asked(advisor) for _ in range(8)), return_exceptions=True)
    assert [answer for answer in answers if not isinstance(answer, Recommendation | Busy)] == []
    assert sum(isinstance(answer, Recommendation) for answer in answers) >= 20


LONG = 60.0  # time of a call in seconds, longer than any outage in these tests
PACED = 10  # number of consecutive calls

Ask = Callable[[], Awaitable[Any]]


async def asks_and_waits(target: str, scene: Callable[[Ask, Ask], Awaitable[None]]) -> None:
    """Play a scene with the sync client: a move, and the last table of an analysis."""
    with Advisor(target) as advisor:
        await scene(
            lambda: asyncio.to_thread(advisor.recommend, POSITION, LONG, iterations=5),
            lambda: asyncio.to_thread(lambda: list(advisor.analyze(POSITION, LONG, iterations=5))[-1].recommendation),
        )


async def asks_in_a_loop(target: str, scene: Callable[[Ask, Ask], Awaitable[None]]) -> None:
    """Play a scene with the async client."""
    async with AsyncAdvisor(target) as advisor:

        async def last() -> Recommendation:
            return [table async for table in advisor.analyze(POSITION, LONG, iterations=5)][-1].recommendation

        await scene(lambda: advisor.recommend(POSITION, LONG, iterations=5), last)


@pytest.mark.parametrize("client", [asks_and_waits, asks_in_a_loop], ids=["sync", "async"])
@pytest.mark.parametrize("addresses", [1, 2])
async def test_calls_wait_for_a_server_and_none_fails_once_it_is_back(client: Any, addresses: int) -> None:
    """With two addresses both are down, and one comes back."""
    address, other = (f"127.0.0.1:{free_port()}" for _ in range(2))

    async def scene(move: Ask, hint: Ask) -> None:
        with own_server("--workers", "1", listen=address) as server:
            await move()
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
            waiting = [asyncio.ensure_future(ask()) for ask in (move, hint)]
            await asyncio.sleep(2)
            assert not any(call.done() for call in waiting)
        with own_server("--workers", "1", listen=address):
            answers = [*await asyncio.gather(*waiting), *[await move() for _ in range(PACED)]]
        assert all(answer.best is not None for answer in answers)

    await client(f"ipv4:{address},{other}" if addresses == 2 else address, scene)
