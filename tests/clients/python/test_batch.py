"""Several positions in one call, through the sync and the async client."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from clerestory.clients import Advisor, AsyncAdvisor, BadRequest, Unavailable
from clerestory.engine import State
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
