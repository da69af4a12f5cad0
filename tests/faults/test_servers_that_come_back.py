"""A restarted server: calls made while it was down wait for it, and none fails once it is back."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from clerestory.clients import Advisor, AsyncAdvisor, Recommendation
from lab.load.server import free_port, own_server
from tests.faults.conftest import POSITION

LONG = 60.0  # seconds of a call's time, longer than any server of these tests is away
PACED = 10  # calls one after the other

Ask = Callable[[], Awaitable[Any]]


async def asks_and_waits(target: str, scene: Callable[[Ask, Ask], Awaitable[None]]) -> None:
    """Play a scene with the sync client: a move, and the last table of an analysis."""
    with Advisor(target) as advisor:
        await scene(
            lambda: asyncio.to_thread(advisor.recommend, POSITION, LONG, iterations=5),
            lambda: asyncio.to_thread(lambda: list(advisor.analyze(POSITION, LONG, iterations=5))[-1].recommendation),
        )


async def asks_in_a_loop(target: str, scene: Callable[[Ask, Ask], Awaitable[None]]) -> None:
    """Play it with the async one."""
    async with AsyncAdvisor(target) as advisor:

        async def last() -> Recommendation:
            return [table async for table in advisor.analyze(POSITION, LONG, iterations=5)][-1].recommendation

        await scene(lambda: advisor.recommend(POSITION, LONG, iterations=5), last)


@pytest.mark.parametrize("client", [asks_and_waits, asks_in_a_loop], ids=["sync", "async"])
@pytest.mark.parametrize("addresses", [1, 2])
async def test_calls_wait_for_a_server_and_none_fails_once_it_is_back(client: Any, addresses: int) -> None:
    """With two addresses both are away, and one comes back."""
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
