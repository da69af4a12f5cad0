"""A replica that ends under load: every admitted call gets an answer, by the other one if need be."""

import asyncio
import signal

import pytest

from clerestory.clients import AsyncAdvisor
from clerestory.clients.errors import Busy
from clerestory.clients.types import Recommendation
from lab.load.server import own_server
from tests.faults.conftest import POSITION


async def asked(advisor: AsyncAdvisor) -> Recommendation:
    """Return an answer for which a caller waits minutes at most: a machine may have other things to do."""
    return await asyncio.wait_for(advisor.recommend(POSITION, 0.3), 300)


@pytest.mark.parametrize(("number", "delay"), [(signal.SIGKILL, "0"), (signal.SIGTERM, "0.5"), (signal.SIGTERM, "0")])
async def test_callers_of_a_replica_that_ends_are_answered_by_the_other(number: signal.Signals, delay: str) -> None:
    """With a delay callers learn of the shutdown before any call is refused; without it, by a refusal."""
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
