"""A search is resumable, right where the answer is known, and continues with its tree from a later position."""

import pytest

from clerestory.engine import GAMES, Rng, State
from clerestory.engine.toy.rules import TOY
from clerestory.search.errors import NothingToDecide, WrongSeat
from clerestory.search.ismcts import Searcher
from clerestory.search.root import observe
from tests.search.positions import decisions, search
from tests.shipped import CATHEDRAL

START = decisions(TOY, 3, 1)[0]


def test_there_is_no_result_before_the_position_is_searched() -> None:
    searcher = Searcher(observe(START), seed=1)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="has not run"):
            searcher.result()
        searcher.run(iterations=10)
        searcher.advance(observe(START))


# -- advance ----------------------------------------------------------------------------------------


def next_decision(position: State, seed: int = 1) -> State:
    rng, later = Rng(seed), position.copy()
    while len(later.history) == len(position.history) or later.turn != position.turn:
        legal = later.legal_codes()
        later.play(later.draw(rng) if later.turn < 0 else legal[rng.below(len(legal))])
    return later


def test_advancing_to_the_same_position_is_going_on() -> None:
    searcher, whole = Searcher(observe(START), seed=2), search(START, 500, seed=2)
    searcher.run(iterations=300)
    searcher.advance(observe(START))
    result = searcher.run(iterations=200)
    assert (result.reused_iterations, result.iterations) == (300, 200)
    assert result.lines == whole.lines
    assert whole.reused_iterations == 0


@pytest.mark.parametrize("name", GAMES)
def test_a_warm_tree_keeps_what_it_knows_and_adds_to_it(name: str) -> None:
    position = decisions(GAMES[name], 2, 4)[0]
    searcher = Searcher(observe(position), seed=2)
    searcher.run(iterations=4000)
    later = next_decision(position)
    searcher.advance(observe(later))
    result = searcher.run(iterations=300)
    assert result.reused_iterations > 0
    assert result.iterations == searcher.iterations == 300
    assert sum(line.visits for line in result.lines) == 300 + result.reused_iterations
    assert {line.action for line in result.lines} == {action.text for action in later.legal_actions()}


def test_a_position_that_the_tree_never_met_is_searched_afresh() -> None:
    """A tree of one iteration has only its root, but the stream of random numbers continues."""
    position = decisions(CATHEDRAL, 2, 4)[0]
    later = next_decision(position)
    searcher = Searcher(observe(position), seed=2)
    assert searcher.run(iterations=1).reproducible
    searcher.advance(observe(later))
    result = searcher.run(iterations=300)
    assert (result.reused_iterations, result.reproducible) == (0, False)
    assert sum(line.visits for line in result.lines) == 300
    assert result.lines != search(later, 300, seed=2).lines


def test_a_root_with_fewer_actions_reuses_only_theirs() -> None:
    searcher = Searcher(observe(START), seed=2)
    *_, least = searcher.run(iterations=500).lines
    searcher.advance(observe(START, actions=[least.action]))
    result = searcher.run(iterations=10)
    assert result.reused_iterations == least.visits
    assert [line.visits for line in result.lines] == [least.visits + 10]
    searcher.advance(observe(START))
    assert len(searcher.run(iterations=10).lines) == len(START.legal_codes())


def test_a_tree_goes_on_from_its_next_root_while_it_has_half_of_its_visits_left() -> None:
    searcher = Searcher(observe(START), seed=1, max_visits=1000)
    reused = []
    for _ in range(4):
        searcher.advance(observe(START))
        reused.append(searcher.run(iterations=400).reused_iterations)
    assert reused == [0, 400, 0, 400]


def test_a_tree_cannot_advance_to_the_end_to_another_seat_or_to_another_game() -> None:
    searcher = Searcher(observe(START), seed=1)
    searcher.run(iterations=10)
    over = decisions(TOY, 3, 1)[-1]
    over.play("fold")
    with pytest.raises(NothingToDecide):
        searcher.advance(observe(over))
    with pytest.raises(WrongSeat):
        searcher.advance(observe(next(p for p in decisions(TOY, 3, 1) if p.turn != START.turn)))
    with pytest.raises(ValueError, match="3 players"):
        searcher.advance(observe(decisions(TOY, 2, 1)[0]))
    assert searcher.run(iterations=1).iterations == 11
