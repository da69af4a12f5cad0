"""Several positions in one call, through the sync and the async client."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from threading import get_ident
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from clerestory.clients import Advisor, AsyncAdvisor, BadRequest, Unavailable
from clerestory.clients.batch import Queries, answers, async_answers
from clerestory.clients.retries import JITTER
from clerestory.engine import State
from clerestory.v1 import advisor_pb2 as api
from tests.server.rpc.harness import opening

POSITIONS: list[Any] = [opening(seed=seed) for seed in range(5)]
WRONG = [*POSITIONS[:2], {"toy": {"round": "x"}}, {"rules_revision": 99}, *POSITIONS[2:]]


def summary(answer: Any) -> tuple[int, str]:
    return answer.number, str(answer.recommendation.best) if answer.recommendation else answer.error.reason


def test_wrong_positions_get_their_errors_wherever_they_are_found(target: str) -> None:
    async def ask() -> list[tuple[int, str]]:
        async with AsyncAdvisor(target) as advisor:
            return [summary(one) async for one in advisor.recommend_each(WRONG, iterations=50, seed=1)]

    with Advisor(target) as advisor:
        answers = list(advisor.recommend_each(WRONG, iterations=50, seed=1))
    assert sorted(map(summary, answers)) == sorted(asyncio.run(ask()))
    errors = {one.number: one.error for one in answers if one.error}
    assert [type(errors[number]) for number in (2, 3)] == [BadRequest, BadRequest]
    assert [errors[number].violations[0].field for number in (2, 3)] == ["position.toy.round", "position"]


def test_the_error_of_the_programs_own_iterable_is_raised(advisor: Advisor) -> None:
    def broken() -> Iterator[State]:
        yield POSITIONS[0]
        raise LookupError("no more")

    answers = advisor.recommend_each(broken(), iterations=50)
    assert next(answers).number == 0
    with pytest.raises(LookupError, match="no more"):
        list(answers)


def test_a_query_that_no_server_reads_gets_its_error_alone(advisor: Advisor) -> None:
    long = {"toy": {}, "catalogue": "x" * 70_000}
    found = dict(map(summary, advisor.recommend_each([POSITIONS[0], long], iterations=50)))
    assert found[1] == "UNREADABLE_REQUEST"
    assert found[0] != "UNREADABLE_REQUEST"


@pytest.mark.parametrize("position", ["{}", b"{}", {"toy": {}}])
def test_a_single_position_is_not_read_by_its_parts(advisor: Advisor, position: Any) -> None:
    with pytest.raises(TypeError, match="recommend takes a single one"):
        list(advisor.recommend_each(position, iterations=50))


def test_a_batch_needs_a_server(advisor: Advisor) -> None:
    with Advisor("127.0.0.1:1") as nobody, pytest.raises(Unavailable):
        list(nobody.recommend_each(POSITIONS, iterations=50))
    assert list(advisor.recommend_each([], iterations=50)) == []


# -- a server that is busy -------------------------------------------------------------------------


class BusyServer:
    """Rejects each position as busy a given number of times, then answers it; records the queries."""

    def __init__(self, busy: dict[int, int]) -> None:
        self.busy = dict(busy)
        self.sent: list[list[int]] = []

    def send(self, requests: Iterable[api.BatchRecommendRequest]) -> "Answers":
        numbers = [request.number for request in requests]
        self.sent.append(numbers)
        return Answers([self.answer(number) for number in numbers])

    def answer(self, number: int) -> api.BatchRecommendResponse:
        if self.busy.get(number, 0) == 0:
            return api.BatchRecommendResponse(number=number, recommendation={})
        self.busy[number] -= 1
        code = grpc.StatusCode.RESOURCE_EXHAUSTED.value[0]
        error = api.BatchError(code=code, reason="BUSY", retry_delay=Duration(seconds=2))
        return api.BatchRecommendResponse(number=number, error=error)


class Answers(list[api.BatchRecommendResponse]):
    """The answers of a call."""

    def cancel(self) -> None:
        pass

    async def __aiter__(self) -> AsyncIterator[api.BatchRecommendResponse]:
        for answer in self:
            yield answer


def asked(server: BusyServer, *, retries: bool = True) -> list[tuple[int, str]]:
    queries = Queries(POSITIONS[:3], "1s", {}, retries=retries)
    return [reason(answer) for answer in answers(server.send(queries), server.send, queries, "")]


async def asked_async(server: BusyServer) -> list[tuple[int, str]]:
    queries = Queries(POSITIONS[:3], "1s", {}, retries=True)
    return [reason(answer) async for answer in async_answers(server.send(queries), server.send, queries, "")]


def reason(answer: Any) -> tuple[int, str]:
    return answer.number, "" if answer.error is None else answer.error.reason


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses of the client, which take no time; other threads wait as usual."""
    made: list[float] = []
    sleep, sleep_async, here = time.sleep, asyncio.sleep, get_ident()

    def pause(seconds: float) -> None:
        if get_ident() == here:
            made.append(seconds)
        else:
            sleep(seconds)

    async def pause_async(seconds: float) -> None:
        if get_ident() == here:
            made.append(seconds)
        else:
            await sleep_async(seconds)

    monkeypatch.setattr(time, "sleep", pause)
    monkeypatch.setattr(asyncio, "sleep", pause_async)
    return made


BUSY_CASES = [
    ({}, [[0, 1, 2]], [(0, ""), (1, ""), (2, "")]),
    ({1: 1}, [[0, 1, 2], [1]], [(0, ""), (2, ""), (1, "")]),
    ({0: 1, 2: 3}, [[0, 1, 2], [0, 2], [2], [2]], [(1, ""), (0, ""), (2, "")]),
    ({1: 9}, [[0, 1, 2], [1], [1], [1]], [(0, ""), (2, ""), (1, "BUSY")]),
]


@pytest.mark.parametrize(("busy", "sent", "found"), BUSY_CASES)
def test_positions_that_a_busy_server_rejects_are_sent_again(
    busy: dict[int, int], sent: list[list[int]], found: list[tuple[int, str]], pauses: list[float]
) -> None:
    server, other = BusyServer(busy), BusyServer(busy)
    assert asked(server) == asyncio.run(asked_async(other)) == found
    assert server.sent == other.sent == sent
    assert len(pauses) == 2 * (len(sent) - 1)
    assert all(2.0 <= pause <= 2.0 * (1 + JITTER) for pause in pauses)


def test_without_retries_a_busy_server_is_an_error_at_once(pauses: list[float]) -> None:
    server = BusyServer({1: 1})
    assert asked(server, retries=False) == [(0, ""), (1, "BUSY"), (2, "")]
    assert (server.sent, pauses) == ([[0, 1, 2]], [])
