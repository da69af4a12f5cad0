"""A decision analysed with another observer's knowledge: any seat, or an onlooker."""

import itertools

import pytest

from clerestory.engine import GAMES, NATURE, State
from clerestory.engine.toy.rules import TOY
from clerestory.search.ismcts import Searcher
from clerestory.search.lines import Line
from clerestory.search.result import Result
from clerestory.search.root import observe
from tests.laws import observers
from tests.search.positions import decisions, some_decisions
from tests.shipped import CASES

START = decisions(TOY, 3, 1)[0]


def watched(position: State, observer: int | None, actions: list[str] | None = None) -> Result:
    root = observe(position, observer=observer, actions=actions)
    return Searcher(root, seed=3, max_bytes=1 << 21).run(iterations=200)


def table(position: State, observer: int) -> tuple[Line, ...]:
    """Return the table of a search, with explanations if the game has a guide."""
    searcher = Searcher(observe(position, observer=observer), seed=3, max_bytes=1 << 21)
    return searcher.explain(searcher.run(iterations=120), worlds=5).lines


def test_the_observer_is_the_seat_unless_another_is_named() -> None:
    by_default, named = watched(START, None), watched(START, START.turn)
    assert by_default.lines == named.lines
    assert (by_default.seat, by_default.observer) == (named.seat, named.observer) == (0, 0)
    event = TOY.new(2, 1)
    assert [(watched(event, one).seat, watched(event, one).observer) for one in (1, NATURE)] == [(1, 1), (-1, -1)]


def test_the_lines_are_those_of_the_seat_to_decide() -> None:
    """An observer who does not see the hand lists every card that it may contain, with points for that seat."""
    result = watched(START.observe(START.turn), NATURE)
    assert (result.seat, result.observer) == (START.turn, NATURE)
    possible = {action.text for action in START.observe(NATURE).legal_actions()}
    assert {line.action for line in result.lines} == possible
    assert possible > {action.text for action in START.legal_actions()}
    assert any(line.availability < result.iterations for line in result.lines)
    assert sum(line.visits for line in result.lines) == result.iterations


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_what_an_observer_cannot_see_changes_nothing(name: str, seats: int) -> None:
    for position in some_decisions(GAMES[name], seats, 21, 4):
        for observer in observers(position):
            seen = position.observe(observer)
            assert len({table(world, observer) for world in (position, seen, seen.determinize(1))}) == 1


def test_what_an_observer_sees_does_change_the_table() -> None:
    other = next(seat for seat in range(START.seats) if seat != START.turn)
    assert len({table(START, observer) for observer in (START.turn, other, NATURE)}) == 3


def test_an_action_that_may_be_impossible_can_be_considered_alone() -> None:
    hidden = next(
        action.text for action in START.observe(NATURE).legal_actions() if action not in START.legal_actions()
    )
    result = watched(START, NATURE, actions=[hidden])
    assert [line.action for line in result.lines] == [hidden]
    assert 0 < result.best.visits < result.iterations


def test_an_observers_tree_goes_on_over_everybodys_decisions() -> None:
    met = decisions(TOY, 3, 1)[:3]
    searcher = Searcher(observe(met[0], observer=2), seed=1)
    for position, following in itertools.pairwise(met):
        assert searcher.run(iterations=300).seat == position.turn
        searcher.advance(observe(following, observer=2))
    result = searcher.run(iterations=300)
    assert (result.seat, result.observer) == (met[-1].turn, 2)
    assert result.reused_iterations > 0
