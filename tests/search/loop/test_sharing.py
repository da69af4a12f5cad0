"""Several threads search one tree: no visit is lost, limits are exact, and all threads end together."""

from collections.abc import Iterator

import pytest

from clerestory.engine import GAMES, State
from clerestory.engine.toy.rules import TOY
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from clerestory.search.result import Result, StopReason
from clerestory.search.root import observe
from tests.search.clock import Clock, timed_search
from tests.search.positions import decisions
from tests.shipped import CASES

START = decisions(TOY, 3, 1)[0]
SOME = 2  # positions per case


def positions(name: str, seats: int) -> list[State]:
    met = decisions(GAMES[name], seats, 13)
    return met[:: max(len(met) // SOME, 1)][:SOME]


def assert_counts(result: Result, visits: int) -> None:
    """Require that every visit to the root took one of its lines that was legal."""
    assert sum(line.visits for line in result.lines) == visits
    for line in result.lines:
        assert line.visits <= line.availability <= visits
        assert line.visits == 0 or sum(line.win_shares) == pytest.approx(1)


@pytest.mark.parametrize("threads", [2, 8])
@pytest.mark.parametrize(("name", "seats"), CASES)
def test_no_visit_is_lost(name: str, seats: int, threads: int) -> None:
    """Neither at the root nor below it: visits of later positions equal those of their lines."""
    for options in ({}, shipped(GAMES[name], seats)):
        for position in positions(name, seats):
            searcher = Searcher(observe(position), seed=3, max_bytes=1 << 22, **options)
            result = searcher.run(iterations=2000, threads=threads)
            assert_counts(result, 2000)
            assert result.iterations == 2000
            for after in continuations(position, result):
                searcher.advance(observe(after, observer=result.observer))
                result = searcher.run(iterations=1)
                assert_counts(result, result.reused_iterations + 1)


def continuations(position: State, result: Result) -> Iterator[State]:
    after = position.observe(result.observer)
    for action in result.best.principal_variation:
        after.play(action)
        if after.turn < 0:
            return
        yield after.copy()


@pytest.mark.parametrize("threads", [2, 8])
def test_a_tree_of_several_threads_is_compacted(threads: int) -> None:
    """The root of the smaller tree has the visits that it had in the larger one."""
    position, *_ = positions("cathedral", 2)
    searcher = Searcher(observe(position), seed=3, max_bytes=1 << 18, **shipped(GAMES["cathedral"], 2))
    result = searcher.run(iterations=6000, threads=threads)
    assert result.memory_full
    searcher.advance(observe(position))
    again = searcher.run(iterations=threads, seconds=3600, threads=threads)
    assert again.reused_iterations == 6000
    assert again.nodes < result.nodes
    assert_counts(again, 6000 + again.iterations)


@pytest.mark.parametrize(("iterations", "threads"), [(1, 1), (1, 8), (2, 4), (1001, 2), (12_345, 3)])
def test_the_iterations_of_all_threads_add_up_to_the_limit(iterations: int, threads: int) -> None:
    result = Searcher(observe(START), seed=6).run(iterations=iterations, threads=threads)
    assert (result.iterations, result.stop_reason) == (iterations, StopReason.ITERATIONS)
    assert 1 <= result.threads <= min(threads, iterations)
    assert result.threads == 1 or not result.reproducible


@pytest.mark.parametrize(("thread", "reproducible"), [(0, True), (1, False)])
def test_only_a_result_of_the_first_thread_alone_is_reproducible(thread: int, *, reproducible: bool) -> None:
    """Another thread has different random numbers."""
    searcher = Searcher(observe(START), seed=6)
    searcher.allow(400)
    searcher.step(float("inf"), deadline=float("inf"), thread=thread, threads=2)
    result = searcher.result()
    assert (result.threads, result.iterations, result.reproducible) == (1, 400, reproducible)
    assert (result.lines == Searcher(observe(START), seed=6).run(iterations=400).lines) == reproducible


@pytest.mark.parametrize("thread", [0, 1])
def test_the_time_of_any_thread_is_spent_searching(thread: int) -> None:
    clock = Clock(1e3)
    searcher = timed_search(clock, START, seed=6)
    for allowed in (400, 200):
        searcher.allow(allowed)
        searcher.step(float("inf"), deadline=float("inf"), thread=thread, threads=2)
        clock.wait(1.0)
    assert searcher.result().elapsed == pytest.approx(0.6)


def test_a_full_tree_gives_up_more_for_several_threads() -> None:
    position, results = positions("cathedral", 2)[1], []
    for threads in (1, 8):
        searcher = Searcher(observe(position), seed=3, max_bytes=1 << 16, **shipped(GAMES["cathedral"], 2))
        searcher.allow(6000)
        searcher.step(float("inf"), deadline=float("inf"), threads=threads)
        results.append(searcher.result())
    assert results[0].lines != results[1].lines
    assert [(result.memory_full, result.reproducible) for result in results] == [(True, True), (True, False)]


def test_a_thread_that_found_nothing_left_to_do_changes_nothing() -> None:
    alone, joined = Searcher(observe(START), seed=6), Searcher(observe(START), seed=6)
    joined.allow(400)
    joined.step(float("inf"), deadline=float("inf"))
    assert joined.step(float("inf"), deadline=float("inf"), thread=1) == (StopReason.ITERATIONS, 0)
    assert joined.result().lines == alone.run(iterations=400).lines


def test_a_stop_ends_all_threads() -> None:
    searcher = Searcher(observe(START), seed=1)
    searcher.stop()
    result = searcher.run(seconds=3600.0, threads=3)
    assert result.stop_reason == StopReason.STOPPED
    assert result.iterations <= 3
    assert searcher.run(iterations=30, threads=3).stop_reason == StopReason.ITERATIONS


def test_threads_end_early_together_and_rightly() -> None:
    """The lead is larger than what the others could still have done."""
    reasons = set()
    for position in decisions(TOY, 3, 1):
        searcher = Searcher(observe(position), seed=3)
        early = searcher.run(iterations=20_000, threads=2, early=True)
        reasons.add(early.stop_reason)
        assert (early.stop_reason == StopReason.DECIDED) == (early.iterations < 20_000)
        if early.stop_reason == StopReason.DECIDED:
            full = searcher.run(iterations=20_000 - early.iterations, threads=2)
            assert full.best.action == early.best.action
    assert StopReason.DECIDED in reasons
