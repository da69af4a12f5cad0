"""Roots of a search: some of the actions only, or a chance event."""

from itertools import pairwise

import pytest

from clerestory.engine import NATURE, Rng, State
from clerestory.engine.games import GAMES
from clerestory.engine.toy.rules import TOY
from clerestory.search import BadLimit, Searcher, WrongSeat
from clerestory.search.root import observe
from tests.search.positions import decisions
from tests.shipped import CATHEDRAL

START = decisions(TOY, 3, 1)[0]


def texts(state: State) -> list[str]:
    return [action.text for action in state.legal_actions()]


# -- some of the actions ---------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", [slice(0, 1), slice(1, None), slice(None, None, 2), slice(None)])
def test_only_the_given_actions_are_searched(chosen: slice) -> None:
    wanted = texts(START)[chosen]
    result = Searcher(observe(START, actions=wanted), seed=1).run(iterations=200)
    assert sorted(line.action for line in result.lines) == sorted(wanted)
    assert sum(line.visits for line in result.lines) == 200


def test_all_actions_are_the_same_as_no_choice() -> None:
    assert (
        Searcher(observe(START, actions=texts(START)), seed=1).run(iterations=300).lines
        == Searcher(observe(START), seed=1).run(iterations=300).lines
    )


def test_a_warm_tree_takes_another_choice() -> None:
    first, second, *_ = texts(START)
    searcher = Searcher(observe(START, actions=[first]), seed=1)
    searcher.run(iterations=100)
    searcher.advance(observe(START, actions=[second]))
    assert [line.action for line in searcher.run(iterations=100).lines] == [second]
    searcher.advance(observe(START))
    assert len(searcher.run(iterations=10).lines) == len(texts(START))


@pytest.mark.parametrize(
    ("actions", "why"),
    [(["play 99"], "play 99"), (["fold", "turn-up 1"], "turn-up 1"), ([], "at least one"), (["nonsense"], "nonsense")],
)
def test_wrong_actions(actions: list[str], why: str) -> None:
    with pytest.raises(BadLimit, match=why) as caught:
        Searcher(observe(START, actions=actions), seed=1)
    assert caught.value.field == "actions"


# -- a chance event --------------------------------------------------------------------------------


def draws() -> list[State]:
    """Positions in which chance events are due, of several kinds."""
    state, rng, found = CATHEDRAL.new(2, 3), Rng(3), []
    while not state.over:
        legal = state.legal_codes()
        if state.turn == NATURE:
            if len(legal) > 1 and not any(len(other.legal_codes()) == len(legal) for other in found):
                found.append(state.copy())
            state.play(state.draw(rng))
        else:
            state.play(legal[rng.below(len(legal))])
    return found


@pytest.mark.parametrize("state", draws(), ids=lambda state: f"{len(state.legal_codes())} outcomes")
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_a_chance_event_has_a_line_for_each_outcome(state: State, seat: int | None) -> None:
    result = Searcher(observe(state, seat), seed=1).run(iterations=4000)
    assert result.seat == (NATURE if seat is None or state.foresees(seat) else seat)
    odds = dict(zip(texts(state), state.odds(), strict=True))
    assert {line.action: line.probability for line in result.lines} == odds
    assert all(a.probability >= b.probability for a, b in pairwise(result.lines))  # type: ignore[operator]
    for line in result.lines:
        assert line.availability == 4000
        expected = 4000 * odds[line.action]
        assert abs(line.visits - expected) < 6 * (expected**0.5 + 1)


def test_what_came_up_is_not_known_to_a_search_before_it_does() -> None:
    state = draws()[0]
    assert Searcher(observe(state, 0), seed=5).run(iterations=500).lines == (
        Searcher(observe(state.observe(0).deal(77), 0), seed=5).run(iterations=500).lines
    )


def test_a_seat_that_does_not_exist() -> None:
    with pytest.raises(WrongSeat, match="seat 2"):
        Searcher(observe(draws()[0], 2), seed=1)


@pytest.mark.parametrize("name", GAMES)
def test_a_root_holds_nothing_that_its_observer_cannot_know(name: str) -> None:
    truth = GAMES[name].new(2, 4)
    for observer in range(-1, truth.seats):
        root = observe(truth, observer=observer) if truth.turn >= 0 else observe(truth, max(observer, 0))
        assert root.view == truth.observe(root.observer)
        assert not root.view.history
        assert [slot for slot in root.__slots__ if isinstance(getattr(root, slot), State)] == ["view"]
