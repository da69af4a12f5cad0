"""Roots of a search: the deciding seat, a subset of the actions, or a chance event."""

from itertools import pairwise
from typing import Any

import pytest

from clerestory.engine import NATURE, State
from clerestory.engine.games import GAMES
from clerestory.engine.toy.rules import TOY
from clerestory.search import BadLimit, Searcher, WrongSeat
from clerestory.search.errors import HiddenFromSeat, NothingToDecide
from clerestory.search.root import observe
from tests.laws import walk
from tests.search.positions import decisions, search
from tests.shipped import CATHEDRAL

START = decisions(TOY, 3, 1)[0]


def texts(state: State) -> list[str]:
    return [action.text for action in state.legal_actions()]


def over() -> State:
    state = decisions(TOY, 2, 1)[-1]
    state.play("fold")
    return state


@pytest.mark.parametrize(
    ("position", "options", "error", "match"),
    [
        (over(), {}, NothingToDecide, "over"),
        (over(), {"observer": NATURE}, NothingToDecide, "over"),
        (START, {"seat": 2}, WrongSeat, "seat 2 is not to decide"),
        (START, {"observer": 3}, WrongSeat, "observer"),
        (START, {"observer": -2}, WrongSeat, "observer"),
        (START, {"observer": "red"}, WrongSeat, "observer"),
        (START.observe(1), {}, HiddenFromSeat, "seat 0"),
        (START.observe(0), {"observer": 1}, HiddenFromSeat, "seat 1"),
        (CATHEDRAL.new(2, 3), {"seat": 2}, WrongSeat, "seat 2"),
        (START, {"actions": ["play 99"]}, BadLimit, "play 99"),
        (START, {"actions": ["fold", "turn-up 1"]}, BadLimit, "turn-up 1"),
        (START, {"actions": []}, BadLimit, "at least one"),
        (START, {"actions": ["nonsense"]}, BadLimit, "nonsense"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_roots_that_cannot_be_searched(
    position: State, options: dict[str, Any], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        observe(position, **options)


@pytest.mark.parametrize("name", GAMES)
def test_a_root_holds_nothing_that_its_observer_cannot_know(name: str) -> None:
    truth = GAMES[name].new(2, 4)
    for observer in range(-1, truth.seats):
        root = observe(truth, observer=observer) if truth.turn >= 0 else observe(truth, max(observer, 0))
        assert root.view == truth.observe(root.observer)
        assert not root.view.history
        assert [slot for slot in root.__slots__ if isinstance(getattr(root, slot), State)] == ["view"]


# -- some of the actions ---------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", [slice(0, 1), slice(1, None), slice(None, None, 2), slice(None)])
def test_only_the_given_actions_are_searched(chosen: slice) -> None:
    wanted = texts(START)[chosen]
    result = Searcher(observe(START, actions=wanted), seed=1).run(iterations=200)
    assert sorted(line.action for line in result.lines) == sorted(wanted)
    assert sum(line.visits for line in result.lines) == 200
    assert (result.lines == search(START, 200).lines) == (chosen == slice(None))


# -- a chance event --------------------------------------------------------------------------------


def draws() -> list[State]:
    events = [state.copy() for state in walk(CATHEDRAL, 2, 3) if state.turn == NATURE and len(state.legal_codes()) > 1]
    return [*{len(state.legal_codes()): state for state in reversed(events)}.values()][::-1]


@pytest.mark.parametrize("state", draws()[::3], ids=lambda state: f"{len(state.legal_codes())} outcomes")
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_a_chance_event_has_a_line_for_each_outcome(state: State, seat: int | None) -> None:
    result = Searcher(observe(state, seat), seed=1).run(iterations=1000)
    assert result.seat == (NATURE if seat is None or state.foresees(seat) else seat)
    odds = dict(zip(texts(state), state.odds(), strict=True))
    assert {line.action: line.probability for line in result.lines} == odds
    assert all(a.probability >= b.probability for a, b in pairwise(result.lines))  # type: ignore[operator]
    for line in result.lines:
        assert line.availability == 1000
        expected = 1000 * odds[line.action]
        assert abs(line.visits - expected) < 6 * (expected**0.5 + 1)


def test_a_search_does_not_know_the_outcome_of_the_next_chance_event() -> None:
    state = draws()[0]
    worlds = (state, state.observe(0).determinize(77))
    assert len({Searcher(observe(world, 0), seed=5).run(iterations=500).lines for world in worlds}) == 1
