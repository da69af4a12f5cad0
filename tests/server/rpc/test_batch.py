"""A batch of queries: each answered as it is ready, with its error if it has one, within the share of one caller."""

from collections.abc import AsyncIterator
from itertools import product
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import BadRequest

from clerestory.server.rpc.errors import MAX_LISTED
from clerestory.v1.advisor_pb2 import BatchRecommendRequest, BatchRecommendResponse, RecommendMoveRequest
from tests.server.games.test_bounds import EXTREME, durations
from tests.server.rpc.harness import HOUR, LoopClock, Served, details, full_server, question, refusal, served, until


def query(number: int, **fields: Any) -> BatchRecommendRequest:
    return BatchRecommendRequest(number=number, question=question(**fields))


def counted(number: int) -> BatchRecommendRequest:
    """Return a query whose answer is the same each time."""
    return query(number, iterations=50, seed=number)


def lines(message: Any) -> list[tuple[str, int]]:
    return [(line.action.text, line.visits) for line in message.lines]


async def results(call: Any) -> dict[int, BatchRecommendResponse]:
    return {answer.number: answer async for answer in call}


async def test_each_query_gets_the_answer_of_a_single_call() -> None:
    async with served(workers=2) as server:
        found = await results(server.advisor.BatchRecommend(map(counted, range(7))))
        assert sorted(found) == [*range(7)]
        for number, answer in found.items():
            alone = await server.advisor.RecommendMove(question(iterations=50, seed=number))
            assert lines(answer.recommendation) == lines(alone)


async def test_a_wrong_query_gets_its_error_and_the_others_their_answers(server: Served) -> None:
    wrong = BatchRecommendRequest(number=1, question=question(iterations=50, consider_actions=["x"]))
    found = await results(server.advisor.BatchRecommend([counted(0), wrong, counted(2), query(3)]))
    alone = await refusal(server.advisor.RecommendMove(wrong.question))
    assert [found[number].WhichOneof("result") for number in range(4)] == ["recommendation", "error"] * 2
    error = found[1].error
    assert (error.code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT.value[0], "BAD_CONSIDER_ACTIONS")
    assert [fault.field for fault in error.violations] == ["consider_actions[0]"]
    assert error.message == alone.details()
    assert found[3].error.reason == "BAD_TIME_BUDGET"


async def test_an_error_lists_as_many_faults_as_that_of_a_single_call(server: Served) -> None:
    wrong = question(iterations=50, consider_actions=["x" * 300, *("x" for _ in range(40))])
    found = await results(server.advisor.BatchRecommend([BatchRecommendRequest(question=wrong)]))
    alone = await refusal(server.advisor.RecommendMove(wrong))
    error = found[0].error
    listed = details(alone, BadRequest).field_violations
    assert [(fault.field, fault.description) for fault in error.violations] == [
        (fault.field, fault.description) for fault in listed
    ]
    assert len(error.violations) == MAX_LISTED
    assert error.message == alone.details()


async def test_times_beyond_all_limits_are_rejected(server: Served) -> None:
    paths = [*durations(RecommendMoveRequest.DESCRIPTOR)]
    queries = [query(number) for number in range(len(paths) * len(EXTREME))]
    for asked, (path, time) in zip(queries, product(paths, EXTREME), strict=True):
        getattr(asked.question, path).CopyFrom(time)
    found = await results(server.advisor.BatchRecommend(queries))
    assert [found[asked.number].error.reason for asked in queries] == ["BAD_TIME_BUDGET"] * len(queries) != []


async def test_an_answer_comes_while_the_client_still_sends() -> None:
    async with served(workers=2) as server:
        call = server.advisor.BatchRecommend()
        await call.write(query(0, time_budget=HOUR))
        await call.write(counted(1))
        assert (await call.read()).number == 1
        await call.write(counted(2))
        assert (await call.read()).number == 2
        call.cancel()
        await until(lambda: server.app.scheduler.running == 0)


async def test_the_next_query_is_read_when_a_worker_is_free() -> None:
    sent = []

    async def endless() -> AsyncIterator[BatchRecommendRequest]:
        for number in range(1000):
            sent.append(number)
            yield query(number, time_budget=HOUR)

    async with served(workers=2, max_searches=16) as server:
        call = server.advisor.BatchRecommend(endless())
        await until(lambda: server.app.scheduler.running == 2)
        for _ in range(20):
            await server.advisor.RecommendMove(question(iterations=1))
        assert server.app.scheduler.running == 2
        call.cancel()


async def test_a_batch_without_a_place_ends_with_busy_for_each_query_or_waits_for_its_own() -> None:
    async with full_server(workers=2) as server:
        found = await results(server.advisor.BatchRecommend([counted(0), counted(1)]))
        assert [answer.error.reason for answer in found.values()] == ["BUSY", "BUSY"]
        assert found[0].error.HasField("retry_delay")
    async with served(workers=4, max_searches=1) as server:
        found = await results(server.advisor.BatchRecommend(map(counted, range(9))))
        assert [answer.WhichOneof("result") for answer in found.values()] == ["recommendation"] * 9


async def test_a_client_that_sends_nothing_more_gets_its_answers_then_an_error(
    server: Served, clock: LoopClock
) -> None:
    call = server.advisor.BatchRecommend()
    await call.write(counted(0))
    assert (await call.read()).number == 0
    await clock.advance_until(call.done, 1.0)
    with pytest.raises(grpc.aio.AioRpcError) as ended:
        await call.read()
    assert ended.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED


async def test_another_caller_is_answered_beside_a_long_batch() -> None:
    async with served(workers=1) as server:
        call = server.advisor.BatchRecommend(query(number, time_budget=HOUR) for number in range(50))
        await until(lambda: server.app.scheduler.running == 1)
        answer = await server.advisor.RecommendMove(question(iterations=100))
        assert answer.statistics.iterations == 100
        call.cancel()
