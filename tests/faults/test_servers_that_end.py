"""Servers that are drained or killed under load: every admitted call gets an answer."""

import asyncio
import signal
from collections import Counter
from typing import Any

import grpc
import pytest

from clerestory.clients import AsyncAdvisor
from clerestory.clients.errors import Busy
from clerestory.clients.types import Recommendation
from clerestory.clients.wire import duration, position_message
from clerestory.v1.advisor_pb2 import AnalyzeRequest, RecommendMoveRequest
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from lab.load.openloop import reason_of
from lab.load.server import ServerProcess, own_server
from tests.faults.conftest import POSITION

BUDGET = 60.0  # seconds, longer than any of these tests waits
PLACES = 64  # of the searches of one caller
HINTS, MOVES = 20, 100  # calls at once, more than have places


def question(budget: float) -> RecommendMoveRequest:
    return RecommendMoveRequest(position=position_message(POSITION), time_budget=duration(budget), early_stop=False)


async def move(stub: Any, budget: float) -> str:
    """Return the outcome of a call: `answered`, or the reason for its refusal."""
    try:
        answer = await stub.RecommendMove(question(budget))
    except grpc.aio.AioRpcError as error:
        return reason_of(error) or error.code().name
    return "answered" if answer.best.text else "no move"


async def hint(stub: Any, budget: float, begun: asyncio.Semaphore) -> str:
    """The same for a stream; its last table must be the only final one. Tells when it has begun, or was refused."""
    request = AnalyzeRequest(question=question(budget), update_interval=duration(0.5))
    finals: list[bool] = []
    try:
        async for table in stub.Analyze(request):
            if not finals:
                begun.release()
            finals.append(table.final)
    except grpc.aio.AioRpcError as error:
        return "cut" if finals else reason_of(error) or error.code().name
    finally:
        begun.release()
    return "answered" if finals == [False] * (len(finals) - 1) + [True] else "no end"


async def test_a_server_told_to_finish_answers_whoever_it_admitted(server: ServerProcess) -> None:
    begun = asyncio.Semaphore(0)
    async with grpc.aio.insecure_channel(server.target) as channel:
        stub: Any = AdvisorServiceStub(channel)
        hints = [asyncio.ensure_future(hint(stub, BUDGET, begun)) for _ in range(HINTS)]
        for _ in hints:
            await begun.acquire()
        moves = [asyncio.ensure_future(move(stub, BUDGET)) for _ in range(MOVES)]
        while sum(call.done() for call in moves) < HINTS + MOVES - PLACES:
            await asyncio.sleep(0.05)
        server.process.send_signal(signal.SIGTERM)
        ends = Counter(await asyncio.gather(*hints, *moves))
    assert await asyncio.to_thread(server.process.wait, 500) == 0
    assert ends == {"answered": PLACES, "BUSY": HINTS + MOVES - PLACES}


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
