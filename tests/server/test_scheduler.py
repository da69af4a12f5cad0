"""Many searches take turns; who leaves frees what it occupied."""

import asyncio

import grpc
import pytest

from clerestory.v1.advisor_pb2 import STOP_REASON_ITERATIONS
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from tests.server.harness import long_question, question, served, until


async def test_a_cancelled_call_frees_its_worker() -> None:
    async with served() as server:
        call = server.advisor.RecommendMove(long_question())
        await until(lambda: server.app.scheduler.running == 1)
        call.cancel()
        await until(lambda: server.app.scheduler.admitted == 0)
        answer = await server.advisor.RecommendMove(question(iterations=10))
    assert answer.statistics.iterations == 10


async def test_an_abandoned_call_frees_its_worker() -> None:
    async with served() as server:
        async with grpc.aio.insecure_channel(server.app.address) as other:
            call = asyncio.ensure_future(AdvisorServiceStub(other).RecommendMove(long_question()))
            await until(lambda: server.app.scheduler.running == 1)
        await until(lambda: server.app.scheduler.admitted == 0)
        with pytest.raises((grpc.aio.AioRpcError, asyncio.CancelledError)):
            await call


async def test_a_short_search_does_not_wait_for_a_long_one() -> None:
    async with served() as server:
        calls = [server.advisor.RecommendMove(long_question()) for _ in range(4)]
        await until(lambda: server.app.scheduler.admitted == 4)
        answers = await asyncio.gather(*(server.advisor.RecommendMove(question(iterations=500)) for _ in range(4)))
        assert server.app.scheduler.admitted == 4
        for call in calls:
            call.cancel()
    assert {answer.statistics.iterations for answer in answers} == {500}


async def test_searches_that_take_turns_find_what_each_finds_alone() -> None:
    questions = [question(iterations=5000, seed=seed) for seed in range(6)]
    async with served(workers=2) as server:
        alone = [await server.advisor.RecommendMove(one) for one in questions]
        together = await asyncio.gather(*(server.advisor.RecommendMove(one) for one in questions))
    assert [answer.lines for answer in alone] == [answer.lines for answer in together]


async def test_every_worker_works_at_once() -> None:
    async with served(workers=3) as server:
        calls = [server.advisor.RecommendMove(long_question()) for _ in range(3)]
        await until(lambda: server.app.scheduler.running == 3)
        for call in calls:
            call.cancel()


@pytest.mark.parametrize("threads", [1, 2, 3])
async def test_threads_search_a_tree_each(threads: int) -> None:
    async with served(workers=3) as server:
        answers = [
            await server.advisor.RecommendMove(question(iterations=2000, seed=1, threads=threads)) for _ in range(2)
        ]
    assert answers[0].lines == answers[1].lines
    assert answers[0].statistics.threads == threads
    assert answers[0].statistics.iterations == 2000
    assert answers[0].statistics.stop_reason == STOP_REASON_ITERATIONS
    assert answers[0].reproducible
