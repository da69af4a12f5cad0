"""Running a search: to its limits or an early end, and on a reused tree."""

import itertools
from collections.abc import Callable

import pytest

from clerestory.engine import GAMES, Rng, State
from clerestory.engine.toy.rules import TOY
from clerestory.search.errors import NothingToDecide, WrongSeat
from clerestory.search.ismcts import Searcher
from clerestory.search.result import StopReason
from clerestory.search.root import observe
from tests.search.positions import decisions

START = decisions(TOY, 3, 1)[0]
SEEDS = range(8)


# -- early ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["visits", "bound"])
@pytest.mark.parametrize("seed", SEEDS)
def test_an_early_end_has_the_answer_of_a_full_run(choice: str, seed: int) -> None:
    for position in decisions(TOY, 2, seed):
        early = Searcher(observe(position), seed=seed, choice=choice).run(iterations=1500, early=True)
        full = Searcher(observe(position), seed=seed, choice=choice).run(iterations=1500)
        assert early.best.action == full.best.action
        assert (early.stop_reason == StopReason.DECIDED) == (early.iterations < 1500)


def test_some_searches_end_early_and_some_do_not() -> None:
    results = [Searcher(observe(p), seed=1).run(iterations=1500, early=True) for p in decisions(TOY, 3, 1)]
    assert {result.stop_reason for result in results} == {StopReason.DECIDED, StopReason.ITERATIONS}


def test_without_being_asked_no_search_ends_early() -> None:
    assert {Searcher(observe(p), seed=1).run(iterations=300).stop_reason for p in decisions(TOY, 3, 1)} == {
        StopReason.ITERATIONS
    }


def test_one_legal_action_is_decided_at_once() -> None:
    met = itertools.chain.from_iterable(decisions(GAMES["cathedral"], 2, seed) for seed in SEEDS)
    forced = next(position for position in met if len(position.legal_codes()) == 1)
    result = Searcher(observe(forced), seed=1).run(seconds=100.0, early=True)
    assert (result.stop_reason, result.iterations) == (StopReason.DECIDED, 1)


# -- advance ----------------------------------------------------------------------------------------


def next_decision(position: State, seed: int) -> State:
    """The seat's next decision after random plies."""
    rng, seat = Rng(seed), position.turn
    later = position.copy()
    while True:
        legal = later.legal_codes()
        later.play(later.draw(rng) if later.turn < 0 else legal[rng.below(len(legal))])
        if later.turn == seat:
            return later


def test_advancing_to_the_same_position_is_going_on() -> None:
    searcher, whole = Searcher(observe(START), seed=2), Searcher(observe(START), seed=2).run(iterations=500)
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
    later = next_decision(position, 1)
    searcher.advance(observe(later))
    result = searcher.run(iterations=300)
    assert result.reused_iterations > 0
    assert result.iterations == searcher.iterations == 300
    assert sum(line.visits for line in result.lines) == 300 + result.reused_iterations
    assert {line.action for line in result.lines} == {action.text for action in later.legal_actions()}


def test_a_position_the_tree_never_met_is_searched_afresh() -> None:
    """A tree of one iteration has only its root: the results for the next position are all new."""
    searcher = Searcher(observe(START), seed=2)
    searcher.run(iterations=1)
    searcher.advance(observe(next_decision(START, 1)))
    result = searcher.run(iterations=300)
    assert result.reused_iterations == 0
    assert sum(line.visits for line in result.lines) == 300


def test_what_followed_another_position_is_not_found_again_by_its_seed_alone() -> None:
    """The stream of random numbers has gone on, even where the tree never met the position."""
    position = decisions(GAMES["cathedral"], 2, 4)[0]
    later = next_decision(position, 1)
    searcher = Searcher(observe(position), seed=2)
    assert searcher.run(iterations=1).reproducible
    searcher.advance(observe(later))
    result = searcher.run(iterations=300)
    assert (result.reused_iterations, result.reproducible) == (0, False)
    assert result.lines != Searcher(observe(later), seed=2).run(iterations=300).lines


def test_of_a_root_with_fewer_actions_only_theirs_are_reused() -> None:
    searcher = Searcher(observe(START), seed=2)
    *_, least = searcher.run(iterations=500).lines
    searcher.advance(observe(START, actions=[least.action]))
    result = searcher.run(iterations=10)
    assert result.reused_iterations == least.visits
    assert [line.visits for line in result.lines] == [least.visits + 10]


def test_a_warm_tree_solves_the_last_decision() -> None:
    met = [position for position in decisions(TOY, 2, 3) if position.turn == decisions(TOY, 2, 3)[-1].turn]
    searcher = Searcher(observe(met[0]), seed=1)
    searcher.run(iterations=500)
    for position in met[1:]:
        searcher.advance(observe(position))
        result = searcher.run(iterations=500)
    for line in result.lines:
        after = met[-1].copy()
        after.play(line.action)
        assert line.win_shares == pytest.approx(after.returns())


@pytest.mark.parametrize("threads", [1, 4])
def test_a_tree_that_can_count_no_more_visits_ends_every_run(threads: int) -> None:
    searcher = Searcher(observe(START), seed=1, max_visits=1000)
    for limits in ({"iterations": 600}, {"iterations": 2000}, {"seconds": 3600.0}):
        result = searcher.run(threads=threads, **limits)
        assert result.stop_reason == StopReason.ITERATIONS
    assert result.iterations == sum(line.visits for line in result.lines) == 1000


def test_a_tree_goes_on_from_its_next_root_while_it_has_half_of_its_visits_left() -> None:
    searcher = Searcher(observe(START), seed=1, max_visits=1000)
    reused = []
    for _ in range(4):
        searcher.advance(observe(START))
        reused.append(searcher.run(iterations=400).reused_iterations)
    assert reused == [0, 400, 0, 400]


def test_what_a_tree_cannot_advance_to() -> None:
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


class BrokenClock(Exception):
    pass


def broken_clock(readings: int) -> Callable[[], float]:
    """Return a clock that stands, breaks after so many readings, and then has passed every deadline."""
    left = itertools.count(readings, -1)

    def read() -> float:
        now = next(left)
        if now == 0:
            raise BrokenClock
        return 0.0 if now > 0 else 1000.0

    return read


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("readings", range(1, 20, 3))
def test_what_a_clock_raises_ends_the_run_and_is_raised(readings: int, threads: int) -> None:
    searcher = Searcher(observe(START), seed=1, clock=broken_clock(readings))
    with pytest.raises(BrokenClock):
        searcher.run(seconds=1.0, threads=threads)
    assert searcher.run(iterations=10).iterations >= 10
    searcher = Searcher(observe(START), seed=1, clock=broken_clock(readings))
    searcher.allow(None)
    with pytest.raises(BrokenClock):
        searcher.step(float("inf"), deadline=1.0, threads=threads)
    assert searcher.run(iterations=10).iterations >= 10


def test_no_result_of_a_new_position_before_it_is_searched() -> None:
    searcher = Searcher(observe(START), seed=1)
    searcher.run(iterations=10)
    searcher.advance(observe(START))
    with pytest.raises(RuntimeError, match="has not run"):
        searcher.result()
