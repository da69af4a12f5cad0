"""Servers that exit or are restarted answer every admitted call; callers that leave cost them nothing lasting."""

import asyncio
import signal
import time

import grpc
import psutil
import pytest

from clerestory.clients import Advisor, AsyncAdvisor, Recommendation
from clerestory.clients.errors import Busy
from clerestory.clients.wire import duration, position_message
from clerestory.v1.advisor_pb2 import AnalyzeRequest, RecommendMoveRequest
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from loadtest.server import ServerProcess, free_port, own_server
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


@pytest.mark.parametrize("addresses", [1, 2])
async def test_calls_wait_for_a_server_and_none_fails_once_it_is_back(addresses: int) -> None:
    """With two addresses both are down, and one comes back."""
    address, other = (f"127.0.0.1:{free_port()}" for _ in range(2))
    async with AsyncAdvisor(f"ipv4:{address},{other}" if addresses == 2 else address) as advisor:

        async def move() -> Recommendation:
            return await advisor.recommend(POSITION, LONG, iterations=5)

        async def hint() -> Recommendation:
            return [table async for table in advisor.analyze(POSITION, LONG, iterations=5)][-1].recommendation

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


HINT = AnalyzeRequest(
    question=RecommendMoveRequest(position=position_message(POSITION), time_budget=duration(600)),
    update_interval=duration(0.01),
)


def answers(server: ServerProcess) -> None:
    """Require that the server has room for a whole search, and no worker is busy with another."""
    with Advisor(server.target) as advisor:
        assert advisor.recommend(POSITION, iterations=500, early_stop=False).iterations == 500


def rests(server: ServerProcess) -> None:
    """Wait until the server uses hardly any processor time, as it does once every search has ended."""
    process = psutil.Process(server.pid)
    while process.cpu_percent(0.2) > 20:
        pass


def gives_back(server: ServerProcess, before: int) -> None:
    """Wait until the server has no more descriptors than before; the test fails by its timeout."""
    process = psutil.Process(server.pid)
    while process.num_fds() > before:
        time.sleep(0.05)


async def abort(target: str, channels: int) -> None:
    """Open a stream of hints on each of some channels, and close the channel after its first table."""
    options = [("grpc.use_local_subchannel_pool", 1)]

    async def one() -> None:
        async with grpc.aio.insecure_channel(target, options) as channel:
            stream = AdvisorServiceStub(channel).Analyze(HINT)
            await stream.read()

    await asyncio.gather(*(one() for _ in range(channels)))


@pytest.mark.parametrize("channels", [40, pytest.param(1000, marks=pytest.mark.slow)])
def test_channels_that_are_aborted_in_mid_stream_leave_nothing(server: ServerProcess, channels: int) -> None:
    asyncio.run(abort(server.target, 10))
    before = psutil.Process(server.pid).num_fds()
    for _ in range(channels // 10):
        asyncio.run(abort(server.target, 10))
    gives_back(server, before)
    rests(server)
    answers(server)
