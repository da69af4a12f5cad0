"""Running a search: to its limits or an early end, on a reused tree, with several threads."""

import itertools
from typing import Any

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


def test_threads_end_early_together_with_the_answer_of_a_full_run() -> None:
    for position in decisions(TOY, 3, 1):
        early = Searcher(observe(position), seed=3).run(iterations=60_000, threads=2, early=True)
        full = Searcher(observe(position), seed=3).run(iterations=60_000, threads=2)
        again = Searcher(observe(position), seed=3).run(iterations=60_000, threads=2, early=True)
        assert early.best.action == full.best.action
        assert early.threads == 2
        assert early.lines == again.lines
        assert (early.stop_reason == StopReason.DECIDED) == (early.iterations < 60_000)


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


def test_no_result_of_a_new_position_before_it_is_searched() -> None:
    searcher = Searcher(observe(START), seed=1)
    searcher.run(iterations=10)
    searcher.advance(observe(START))
    with pytest.raises(RuntimeError, match="has not run"):
        searcher.result()


# -- threads ----------------------------------------------------------------------------------------


def visits(iterations: int, threads: int, **options: Any) -> dict[str, tuple[int, int]]:
    result = Searcher(observe(START), seed=6, **options).run(iterations=iterations, threads=threads)
    assert result.threads == min(threads, iterations)
    assert result.iterations == iterations
    return {line.action: (line.visits, line.availability) for line in result.lines}


@pytest.mark.parametrize(("iterations", "threads"), [(1, 1), (1000, 1), (1000, 3), (2, 4), (1001, 2)])
def test_threads_add_up_and_are_reproducible(iterations: int, threads: int) -> None:
    first = visits(iterations, threads)
    assert first == visits(iterations, threads)
    assert sum(count for count, _ in first.values()) == iterations
    assert all(available == iterations for _, available in first.values())


def test_each_thread_has_luck_and_a_tree_of_its_own() -> None:
    """Two threads equal the search with the seed plus the one with the seed drawn from it."""
    searcher = Searcher(observe(START), seed=6)
    both = searcher.run(iterations=800, threads=2)
    alone = [Searcher(observe(START), seed=seed).run(iterations=400) for seed in (6, Rng(6).next())]
    assert alone[0].lines != alone[1].lines
    assert both.nodes == sum(result.nodes for result in alone)
    for line in both.lines:
        parts = [part for result in alone for part in result.lines if part.action == line.action]
        assert line.visits == sum(part.visits for part in parts)
        mean = [sum(part.visits * part.win_shares[seat] for part in parts) / line.visits for seat in range(3)]
        assert line.win_shares == pytest.approx(mean)


def test_threads_run_on_in_slices_and_after_an_advance() -> None:
    sliced, whole = Searcher(observe(START), seed=6), Searcher(observe(START), seed=6)
    sliced.run(iterations=200, threads=2)
    assert sliced.run(iterations=200, threads=2).lines == whole.run(iterations=400, threads=2).lines
    sliced.advance(observe(START))
    assert sliced.run(iterations=100, threads=1).reused_iterations == 400


def test_a_stop_ends_all_threads() -> None:
    searcher = Searcher(observe(START), seed=1)
    searcher.stop()
    result = searcher.run(seconds=100.0, threads=3)
    assert (result.stop_reason, result.iterations) == (StopReason.STOPPED, 3)
    assert searcher.run(iterations=30, threads=3).stop_reason == StopReason.ITERATIONS
