"""Runs of a search: limits, stops, and early ends, on a simulated clock.

An early end is right if the same search, continued to its limits, names the same action.
"""

import itertools
import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from clerestory.engine import NATURE
from clerestory.engine.toy.rules import TOY
from clerestory.search.errors import BadLimit
from clerestory.search.ismcts import Searcher
from clerestory.search.result import Result, StopReason
from clerestory.search.root import observe
from tests.search.clock import HICCUPS, Clock, timed_search
from tests.search.positions import decisions, search, sole_decision
from tests.shipped import CATHEDRAL

START = decisions(TOY, 3, 1)[0]
SPEED = 25_000  # iterations per second
SLICE = 0.004
BUDGET = 0.5
SEEDS = range(4)


# -- limits and stops --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "field"),
    [
        ({}, "limits"),
        ({"seconds": 0}, "seconds"),
        ({"seconds": -1.5}, "seconds"),
        ({"seconds": math.nan}, "seconds"),
        ({"deadline": math.nan}, "deadline"),
        ({"iterations": 0}, "iterations"),
        ({"iterations": 2.5}, "iterations"),
        ({"iterations": True}, "iterations"),
        ({"iterations": 9, "threads": 0}, "threads"),
        ({"iterations": 9, "threads": 257}, "threads"),
        ({"iterations": 9, "threads": "2"}, "threads"),
        ({"iterations": 9, "threads": 1.0}, "threads"),
        ({"iterations": 9, "threads": True}, "threads"),
    ],
)
def test_limits_out_of_range_are_rejected(limits: dict[str, object], field: str) -> None:
    with pytest.raises(BadLimit) as caught:
        Searcher(observe(START), seed=1).run(**limits)  # type: ignore[arg-type]
    assert caught.value.field == field


def test_integers_of_numpy_count() -> None:
    assert Searcher(observe(START), seed=np.int64(1)).run(iterations=np.int64(9), threads=np.int8(1)).iterations == 9  # type: ignore[arg-type]


@pytest.mark.parametrize("amounts", [{"worlds": 2.5}, {"worlds": 0}, {"worlds": True}, {"plies": 2.5}, {"plies": -1}])
def test_amounts_of_an_outlook_are_integers(amounts: dict[str, Any]) -> None:
    searcher = Searcher(observe(START), seed=1)
    with pytest.raises(ValueError, match=f"{next(iter(amounts))}: .* is not a whole number from"):
        searcher.explain(searcher.run(iterations=9), **amounts)


@pytest.mark.parametrize(
    ("limits", "reason", "iterations"),
    [
        ({"seconds": 0.1}, StopReason.TIME, 104),  # the clock is read at every eighth iteration
        ({"deadline": 5.1, "seconds": 100.0}, StopReason.TIME, 104),
        ({"deadline": 500.0, "seconds": 0.1}, StopReason.TIME, 104),
        ({"iterations": 3, "seconds": 100.0}, StopReason.ITERATIONS, 3),
        ({"deadline": 0.0}, StopReason.TIME, 1),  # long past, but there is an answer
    ],
)
def test_a_run_ends_at_the_first_of_its_limits(limits: dict[str, float], reason: StopReason, iterations: int) -> None:
    result = timed_search(Clock(1000, begin=5.0), START, seed=1).run(**limits)  # type: ignore[arg-type]
    assert (result.stop_reason, result.iterations) == (reason, iterations)


def test_any_thread_may_stop_a_run() -> None:
    searcher, results = Searcher(observe(START), seed=1), list[Result]()
    thread = threading.Thread(target=lambda: results.append(searcher.run(seconds=3600.0)))
    thread.start()
    searcher.stop()
    thread.join()
    assert [result.stop_reason for result in results] == [StopReason.STOPPED]
    assert searcher.run(iterations=3).stop_reason == StopReason.ITERATIONS


def test_a_running_search_rejects_a_second_caller() -> None:
    searcher = Searcher(observe(START), seed=1)
    searcher.run(iterations=1)
    thread = threading.Thread(target=lambda: searcher.run(seconds=3600.0))
    thread.start()
    try:
        while not is_running(searcher):
            pass
        with pytest.raises(RuntimeError, match="running"):
            searcher.run(iterations=1)
        with pytest.raises(RuntimeError, match="running"):
            searcher.advance(observe(START))
    finally:
        searcher.stop()
        thread.join()


def is_running(searcher: Searcher) -> bool:
    try:
        searcher.result()
    except RuntimeError:
        return True
    return False


class BrokenClock(Exception):
    pass


def broken_clock(readings: int) -> Callable[[], float]:
    """Return a clock that stands still, breaks after `readings` readings, and then has passed every deadline."""
    left = itertools.count(readings, -1)

    def read() -> float:
        now = next(left)
        if now == 0:
            raise BrokenClock
        return 0.0 if now > 0 else 1000.0

    return read


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("readings", range(1, 20, 3))
def test_an_error_of_the_clock_ends_the_run_and_is_raised(readings: int, threads: int) -> None:
    searcher = Searcher(observe(START), seed=1, clock=broken_clock(readings))
    with pytest.raises(BrokenClock):
        searcher.run(seconds=1.0, threads=threads)
    assert searcher.run(iterations=10).iterations >= 10
    searcher = Searcher(observe(START), seed=1, clock=broken_clock(readings))
    searcher.allow(None)
    with pytest.raises(BrokenClock):
        searcher.step(float("inf"), deadline=1.0, threads=threads)
    assert searcher.run(iterations=10).iterations >= 10


@pytest.mark.parametrize("threads", [1, 4])
def test_a_tree_that_can_count_no_more_visits_ends_every_run(threads: int) -> None:
    searcher = Searcher(observe(START), seed=1, max_visits=1000)
    for limits in ({"iterations": 600}, {"iterations": 2000}, {"seconds": 3600.0}):
        result = searcher.run(threads=threads, **limits)
        assert result.stop_reason == StopReason.ITERATIONS
    assert result.iterations == sum(line.visits for line in result.lines) == 1000


# -- early ends --------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["visits", "bound"])
def test_an_early_end_has_the_answer_of_a_full_run(choice: str) -> None:
    reasons = set()
    for seed in SEEDS:
        for position in decisions(TOY, 2, seed):
            searcher = Searcher(observe(position), seed=seed, choice=choice)
            early = searcher.run(iterations=1500, early=True)
            assert early.best.action == search(position, 1500, seed=seed, choice=choice).best.action
            assert (early.stop_reason == StopReason.DECIDED) == (early.iterations < 1500)
            reasons.add(early.stop_reason)
    assert reasons == {StopReason.DECIDED, StopReason.ITERATIONS}


def run_at_once(searcher: Searcher, clock: Clock, deadline: float) -> Result:
    return searcher.run(deadline=deadline, early=True)


def run_in_slices(searcher: Searcher, clock: Clock, deadline: float) -> Result:
    """Search in slices, with waits in between, until an early end or the deadline."""
    reason = StopReason.PAUSED
    searcher.allow(None)
    while reason == StopReason.PAUSED:
        clock.wait(SLICE)
        reason, _ = searcher.step(clock.now + SLICE, deadline=deadline, early=True)
    return searcher.result()


def lead(result: Result) -> int:
    """Return the lead in visits of the first line."""
    most, *others = sorted((line.visits for line in result.lines), reverse=True)
    return most - max(others, default=0)


def assert_same_in_the_end(searcher: Searcher, early: Result, clock: Clock, deadline: float) -> None:
    """Continue the search without delays: the rest was too little to overtake the first line."""
    if early.stop_reason != StopReason.DECIDED:
        assert clock.now >= deadline
        return
    clock.calm()
    full = searcher.run(deadline=deadline)
    assert full.best.action == early.best.action
    if len(early.lines) > 1:
        assert full.iterations - early.iterations < lead(early)


@pytest.mark.parametrize(
    ("run", "choice"), [(run_at_once, "visits"), (run_in_slices, "visits"), (run_in_slices, "bound")]
)
@pytest.mark.parametrize("hiccup", HICCUPS)
def test_an_early_end_is_right(hiccup: str, run: Callable[..., Result], choice: str) -> None:
    ended = set()
    for seed, position in enumerate(decisions(TOY, 3, 1)):
        clock = Clock(SPEED, hiccup)
        searcher = timed_search(clock, position, seed=seed, choice=choice)
        early = run(searcher, clock, BUDGET)
        ended.add(early.stop_reason)
        assert_same_in_the_end(searcher, early, clock, BUDGET)
    assert StopReason.DECIDED in ended


@pytest.mark.parametrize("hiccup", HICCUPS)
def test_an_early_end_on_a_warm_tree_is_right(hiccup: str) -> None:
    """A warm tree has a lead at once, so a single slow measurement could end the search too early."""
    for seed in SEEDS:
        clock = Clock(SPEED, hiccup)
        searcher = timed_search(clock, START, seed=seed)
        searcher.run(iterations=4_000)
        clock.move(START)
        deadline = clock.now + BUDGET
        assert_same_in_the_end(searcher, run_in_slices(searcher, clock, deadline), clock, deadline)


def test_a_warm_tree_that_knows_enough_ends_soon() -> None:
    clock = Clock(SPEED)
    searcher = timed_search(clock, START, seed=1)
    searcher.run(iterations=50_000)
    clock.move(START)
    result = searcher.run(seconds=BUDGET, early=True)
    assert result.stop_reason == StopReason.DECIDED
    assert result.iterations < SPEED * BUDGET / 10


@pytest.mark.parametrize("seed", SEEDS)
def test_only_actions_that_may_be_chosen_count(seed: int) -> None:
    """A warm tree may have other actions with more visits."""
    searcher = Searcher(observe(START), seed=seed)
    known = searcher.run(iterations=5000).lines
    for actions in itertools.combinations([line.action for line in known], 2):
        searcher.advance(observe(START, actions=actions))
        early = searcher.run(iterations=3000, early=True)
        assert {line.action for line in early.lines} == set(actions)
        if early.stop_reason == StopReason.DECIDED:
            assert 3000 - early.iterations < lead(early)
        else:
            assert early.iterations == 3000


def test_a_chance_event_is_searched_to_its_limits() -> None:
    event = CATHEDRAL.new(2, 1)
    assert event.turn == NATURE
    result = Searcher(observe(event), seed=1).run(iterations=50, early=True)
    assert result.stop_reason == StopReason.ITERATIONS


@pytest.mark.parametrize("hiccup", ["none", "preemption"])
def test_a_sole_action_is_decided_at_once(hiccup: str) -> None:
    result = timed_search(Clock(SPEED, hiccup), sole_decision(CATHEDRAL), seed=1).run(seconds=BUDGET, early=True)
    assert (result.stop_reason, result.iterations) == (StopReason.DECIDED, 1)


def test_a_search_that_is_slowed_down_expects_the_rest_at_full_speed() -> None:
    """Half of the slices run at a tenth of the speed, but the rest could all run at full speed."""
    clock = Clock(SPEED, "preemption late in a slice")
    searcher = timed_search(clock, START, seed=2)
    early = run_in_slices(searcher, clock, BUDGET)
    assert early.stop_reason == StopReason.DECIDED
    assert (BUDGET - clock.now) * SPEED <= lead(early)
