"""Answers without a server are those that a client would read from the messages of one."""

import pytest

from clerestory.cli.local_advisor import LocalAdvisor
from clerestory.clients.wire import Limits, QuestionOptions, read_answer
from clerestory.engine import GAMES, State
from tests.server.rpc.harness import opening

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
