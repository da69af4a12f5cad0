"""Early ends are right: the same search, continued to its limits, names the same action. On a simulated clock."""

import itertools

import pytest

from clerestory.engine import GAMES, NATURE
from clerestory.engine.toy.rules import TOY
from clerestory.search.ismcts import Searcher
from clerestory.search.result import Result, StopReason
from clerestory.search.root import observe
from tests.search.clock import HICCUPS, Clock, timed_search
from tests.search.positions import decisions

START = decisions(TOY, 3, 1)[0]
SPEED = 25_000  # iterations a second
SLICE = 0.004
BUDGET = 0.5
SEEDS = range(8)


def lead(result: Result) -> int:
    """The lead in visits of the first line."""
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


def run_in_slices(searcher: Searcher, clock: Clock, deadline: float) -> Result:
    """Search in slices, with waits in between, until an early end or the deadline."""
    reason = StopReason.PAUSED
    searcher.allow(None)
    while reason == StopReason.PAUSED:
        clock.wait(SLICE)
        reason, _ = searcher.step(clock.now + SLICE, deadline=deadline, early=True)
    return searcher.result()


@pytest.mark.parametrize("choice", ["visits", "bound"])
@pytest.mark.parametrize("hiccup", HICCUPS)
def test_what_was_decided_in_slices_is_true(hiccup: str, choice: str) -> None:
    ended = set()
    for seed, position in enumerate(decisions(TOY, 3, 1)):
        clock = Clock(SPEED, hiccup)
        searcher = timed_search(clock, position, seed=seed, choice=choice)
        early = run_in_slices(searcher, clock, BUDGET)
        ended.add(early.stop_reason)
        assert_same_in_the_end(searcher, early, clock, BUDGET)
    assert StopReason.DECIDED in ended


@pytest.mark.parametrize("hiccup", HICCUPS)
def test_what_was_decided_at_once_is_true(hiccup: str) -> None:
    for seed, position in enumerate(decisions(TOY, 3, 1)):
        clock = Clock(SPEED, hiccup)
        searcher = timed_search(clock, position, seed=seed)
        assert_same_in_the_end(searcher, searcher.run(seconds=BUDGET, early=True), clock, BUDGET)


@pytest.mark.parametrize("hiccup", HICCUPS)
def test_what_was_decided_on_a_warm_tree_is_true(hiccup: str) -> None:
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
    event = GAMES["cathedral"].new(2, 1)
    assert event.turn == NATURE
    assert Searcher(observe(event), seed=1).run(iterations=50, early=True).stop_reason == StopReason.ITERATIONS


def test_a_sole_action_is_decided_whatever_holds_the_search_up() -> None:
    met = itertools.chain.from_iterable(decisions(GAMES["cathedral"], 2, seed) for seed in SEEDS)
    forced = next(position for position in met if len(position.legal_codes()) == 1)
    clock = Clock(SPEED, "preemption")
    result = timed_search(clock, forced, seed=1).run(seconds=BUDGET, early=True)
    assert (result.stop_reason, result.iterations) == (StopReason.DECIDED, 1)


def test_a_search_that_a_neighbour_slows_goes_by_what_it_could_do_alone() -> None:
    """Half of the slices run at a tenth of the speed, but all the rest could run at full speed."""
    clock = Clock(SPEED, "preemption late in a slice")
    searcher = timed_search(clock, START, seed=2)
    early = run_in_slices(searcher, clock, BUDGET)
    assert early.stop_reason == StopReason.DECIDED
    assert (BUDGET - clock.now) * SPEED <= lead(early)
