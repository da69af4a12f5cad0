"""Answers without a server are those that a client would read from the messages of one."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from clerestory.cli.local_advisor import LocalAdvisor
from clerestory.clients import Advisor, AdvisorError
from clerestory.clients.wire import Limits, QuestionOptions, read_answer
from clerestory.engine import GAMES, State
from clerestory.server.analysis.reviews import ReviewTerms
from tests.server.rpc.harness import opening
from tests.servers import running_server

ASKED: list[tuple[str, State, QuestionOptions]] = [
    ("the board game", opening(2, 7, "cathedral"), {"iterations": 300, "seed": 3}),
    ("the card game", opening(2, 7, "duel"), {"iterations": 300, "seed": 3, "lines": 2}),
    ("a level", opening(2, 7, "duel"), {"level": 2, "seed": 3, "memory": 1 << 62}),
    ("few iterations", opening(3, 7, "toy"), {"iterations": 2, "seed": 3}),
    ("a chance event", GAMES["cathedral"].new(2, 7), {"iterations": 300, "seed": 3, "seat": 1}),
    ("rates", opening(2, 7, "duel"), {"iterations": 40_000, "seed": 3, "rates": True}),
    ("an onlooker", GAMES["duel"].new(2, 7), {"iterations": 50, "seed": 3}),
]


@pytest.mark.parametrize(("position", "options"), [one[1:] for one in ASKED], ids=[one[0] for one in ASKED])
def test_an_answer_is_what_its_message_says(position: State, options: QuestionOptions) -> None:
    with LocalAdvisor(1) as here:
        found = here.recommend(position, **options)
    assert found == read_answer(found.message)
    assert found.message is found.message
    assert bool(found.rates) == ("rates" in options)


def test_the_tables_of_an_analysis_are_what_their_messages_say() -> None:
    position = opening(2, 7, "cathedral")
    with LocalAdvisor(1) as here, here.analyze(position, "200ms", every="20ms", seed=1) as updates:
        found = [update.recommendation for update in updates]
    assert found == [read_answer(one.message) for one in found]
    assert found[-1].stop_reason == "time"


def test_limits_hold_without_a_server_too() -> None:
    position, limits = opening(2, 7, "duel"), Limits(iterations=300, memory=1 << 20, every="20ms")
    with LocalAdvisor(1) as here:
        found = here.recommend(position, limits=limits, seed=3)
        assert found.lines == here.recommend(position, iterations=300, memory=1 << 20, seed=3).lines
        with here.analyze(position, limits=limits, seed=3) as updates:
            assert [update.recommendation.iterations for update in updates][-1] == 300


def test_a_wrong_term_of_a_review_is_named_by_the_field_of_its_call() -> None:
    end = opening(2, 7, "toy")
    end.play(end.legal_actions()[0])
    with LocalAdvisor(1) as here, pytest.raises(AdvisorError) as caught:
        here.review(end, ReviewTerms(iterations=16_000, viewer=9), lambda *_: None)
    assert [one.field for one in caught.value.violations] == ["viewer_seat"]


def test_an_argument_counts_as_the_message_of_a_client_holds_it() -> None:
    position = opening(2, 7, "duel")
    first, second = (one.text for one in position.legal_actions()[:2])
    with LocalAdvisor(1) as here:
        found = here.recommend(position, iterations=5, consider=(text for text in (second,)), game_id=b"x")
        assert [line.action.text for line in found.lines] == [second]
        found = here.recommend(position, iterations=5, avoid=iter([first]))
        assert first not in [line.action.text for line in found.lines]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"position": None}, "position"),
    ({"position": 5}, "position"),
    ({"position": {"rules_revision": 1, "chess": {}}}, "position.chess"),
    ({"time": "soon"}, "time_budget"),
    ({"time": b"1s"}, "time_budget"),
    ({"time": timedelta(days=9_999_999)}, "time_budget"),
    ({"time": float("nan")}, "time_budget"),
    ({"time": 0}, "time_budget"),
    ({"time": 86_401}, "time_budget"),
    ({"seat": "red"}, "seat"),
    ({"seat": 9}, "seat"),
    ({"iterations": "many"}, "iterations"),
    ({"iterations": 1 << 63}, "iterations"),
    ({"iterations": 1 << 80}, "iterations"),
    ({"seed": -1}, "seed"),
    ({"memory": 1.5}, "max_tree_bytes"),
    ({"level": 9}, "level"),
    ({"level": "hard"}, "level"),
    ({"character": 5}, "character"),
    ({"character": "nobody"}, "character"),
    ({"threads": "all"}, "threads"),
    ({"lines": -1}, "max_lines"),
    ({"early_stop": "yes"}, "early_stop"),
    ({"game_id": b"x" * 9 + b"\xff"}, "game_id"),
    ({"consider": 5}, "consider_actions"),
    ({"consider": ["dance"]}, "consider_actions[0]"),
    ({"avoid": [5]}, "avoid_actions"),
    ({"limits": "1s"}, "limits"),
]
WRONG_ANALYSES: list[tuple[dict[str, Any], str]] = [
    ({"every": "soon"}, "update_interval"),
    ({"every": 0.001}, "update_interval"),
    ({"every": timedelta(days=9_999_999)}, "update_interval"),
    ({"certainty": "sure"}, "target_certainty"),
    ({"certainty": 0.2}, "target_certainty"),
    ({"observer": "red"}, "observer.seat"),
    ({"observer": 9}, "observer.seat"),
    ({"level": 9}, "question.level"),
]


@pytest.fixture(scope="module")
def remote() -> Iterator[Advisor]:
    with running_server() as target, Advisor(target) as advisor:
        yield advisor


def error_of(call: Callable[[], object]) -> tuple[type, str, tuple[str, ...], str]:
    with pytest.raises(AdvisorError) as caught:
        call()
    error = caught.value
    return type(error), error.reason, tuple(one.field for one in error.violations), str(error)


@pytest.mark.parametrize(("given", "field"), WRONG, ids=repr)
def test_a_wrong_argument_is_the_error_of_a_client(remote: Advisor, given: dict[str, Any], field: str) -> None:
    asked = {"position": opening(2, 7, "toy"), "iterations": 5} | given
    with LocalAdvisor(1) as here:
        local = error_of(lambda: here.recommend(**asked))
    assert local[2] == (field,)
    assert local == error_of(lambda: remote.recommend(**asked))


@pytest.mark.parametrize(("given", "field"), WRONG_ANALYSES, ids=repr)
def test_a_wrong_argument_of_an_analysis_is_the_error_of_a_client(
    remote: Advisor, given: dict[str, Any], field: str
) -> None:
    asked = {"position": opening(2, 7, "toy"), "iterations": 5} | given

    def analyzed(advisor: Advisor | LocalAdvisor) -> None:
        with advisor.analyze(**asked) as updates:
            list(updates)

    with LocalAdvisor(1) as here:
        local = error_of(lambda: analyzed(here))
    assert local[2] == (field,)
    assert local == error_of(lambda: analyzed(remote))
