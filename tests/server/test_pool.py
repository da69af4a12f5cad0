"""Who leaves frees what it occupied."""

import asyncio

import grpc
import pytest

from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from tests.server.harness import long_question, question, served, until


async def test_a_cancelled_call_frees_its_worker() -> None:
    async with served(workers=1) as server:
        call = server.advisor.RecommendMove(long_question())
        await until(lambda: server.app.pool.running == 1)
        call.cancel()
        await until(lambda: server.app.pool.running == 0)
        answer = await server.advisor.RecommendMove(question(iterations=10))
    assert answer.statistics.iterations == 10


async def test_an_abandoned_call_frees_its_worker() -> None:
    async with served(workers=1) as server:
        async with grpc.aio.insecure_channel(server.app.address) as other:
            call = asyncio.ensure_future(AdvisorServiceStub(other).RecommendMove(long_question()))
            await until(lambda: server.app.pool.running == 1)
        await until(lambda: server.app.pool.running == 0)
        with pytest.raises((grpc.aio.AioRpcError, asyncio.CancelledError)):
            await call


async def test_a_cancelled_call_leaves_the_queue() -> None:
    async with served(workers=1, max_queue=1) as server:
        running, waiting = (server.advisor.RecommendMove(long_question()) for _ in range(2))
        await until(lambda: server.app.pool.running == 1 and server.app.pool.waiting == 1)
        waiting.cancel()
        await until(lambda: server.app.pool.waiting == 0)
        assert server.app.pool.running == 1
        running.cancel()
        await until(lambda: server.app.pool.running == 0)


async def test_the_queue_moves_up() -> None:
    async with served(workers=1, max_queue=4) as server:
        running = server.advisor.RecommendMove(long_question())
        await until(lambda: server.app.pool.running == 1)
        waiting = [asyncio.ensure_future(server.advisor.RecommendMove(question(iterations=10))) for _ in range(4)]
        await until(lambda: server.app.pool.waiting == 4)
        running.cancel()
        answers = await asyncio.gather(*waiting)
    assert [answer.statistics.iterations for answer in answers] == [10] * 4


async def test_every_worker_works_at_once() -> None:
    async with served(workers=3) as server:
        calls = [server.advisor.RecommendMove(long_question()) for _ in range(3)]
        await until(lambda: server.app.pool.running == 3)
        for call in calls:
            call.cancel()
