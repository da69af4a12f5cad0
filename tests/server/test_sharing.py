"""Callers share places and workers fairly, however many calls each makes, on a simulated clock."""

import pytest

from clerestory.server.policy import SLICE, Demand, NoRoom, Policy, Priority, TreeTask, fair_shares
from tests.server.simulated import SPEED, Simulation, demand, used

SHARES: list[tuple[int, list[int], list[float]]] = [  # workers, searches of each caller, workers of each
    (1, [64, 1], [0.5, 0.5]),
    (2, [5, 1], [1.0, 1.0]),
    (3, [5, 1], [2.0, 1.0]),
    (2, [4, 4, 1], [2 / 3, 2 / 3, 2 / 3]),
    (4, [1, 2, 9], [1.0, 1.5, 1.5]),
    (4, [1, 1, 1], [1.0, 1.0, 1.0]),
    (2, [7], [2.0]),
]


@pytest.mark.parametrize(("workers", "searches", "shares"), SHARES)
def test_fair_shares(workers: int, searches: list[int], shares: list[float]) -> None:
    assert list(fair_shares(dict(enumerate(searches)), workers).values()) == pytest.approx(sorted(shares))


@pytest.mark.parametrize(("workers", "searches", "shares"), SHARES)
def test_callers_share_the_workers_whatever_number_of_searches_they_have(
    workers: int, searches: list[int], shares: list[float]
) -> None:
    arrivals = [demand(0, 2.0, caller=caller) for caller, number in enumerate(searches) for _ in range(number)]
    admitted = Simulation(workers).run(arrivals, 2.0)
    had = [sum(used(one) for one in admitted if one[0].demand.caller == caller) for caller in range(len(searches))]
    assert had == pytest.approx([2.0 * share for share in shares], abs=3 * SLICE * workers)


def test_one_more_search_has_half_a_worker_beside_64_of_another_caller() -> None:
    arrivals = [*[demand(0, 60.0, caller="many") for _ in range(64)], demand(5.0, 1.0, caller="one")]
    simulation = Simulation()
    *_, [one] = simulation.run(arrivals, 60.0)
    assert simulation.refused == []
    assert one.used == pytest.approx(0.5, abs=2 * SLICE)


def test_threads_take_from_the_other_searches_of_their_caller_alone() -> None:
    arrivals = [demand(0, 1.0, caller="many", trees=4), demand(0, 1.0, caller="one")]
    many, one = Simulation(2).run(arrivals, 1.0)
    assert (used(many), used(one)) == pytest.approx((1.0, 1.0), abs=4 * SLICE)


def test_a_stream_of_short_searches_leaves_another_caller_his_half() -> None:
    arrivals = [demand(0, 4.0, caller="one"), *[demand(0.005 * i, 0.05, caller="many") for i in range(800)]]
    first, *_ = Simulation().run(arrivals, 4.0)
    assert used(first) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize(("budget", "least"), [(0.009, 0.35), (0.02, 0.45), (0.05, 0.45)])
def test_searches_that_are_always_pressed_leave_another_caller_his_half(budget: float, least: float) -> None:
    """The shares are exact only up to a slice, which is visible with a budget of 9 ms."""
    arrivals = [demand(0, 1.0, caller="one"), *[demand(0.002 * i, budget, caller="many") for i in range(500)]]
    first, *_ = Simulation().run(arrivals, 1.0)
    assert least <= used(first) <= 0.6


def test_hints_have_their_callers_share_beside_the_moves_of_another() -> None:
    """And a caller's own moves go before his own hints."""
    arrivals = [
        demand(0, 1.0, caller="many"),
        demand(0, 1.0, caller="many", priority=Priority.HINT),
        demand(0, 1.0, caller="one", priority=Priority.HINT),
    ]
    move, own_hint, hint = Simulation().run(arrivals, 1.0)
    assert (used(move), used(hint)) == pytest.approx((0.5, 0.5), abs=3 * SLICE)
    assert used(own_hint) <= 2.5 * SLICE  # its minimum


def test_the_background_of_one_caller_comes_after_everything_of_others() -> None:
    arrivals = [
        demand(0, 2.0, caller="one", priority=Priority.BACKGROUND),
        demand(0.5, 1.0, caller="many", priority=Priority.HINT),
    ]
    background, hint = Simulation().run(arrivals, 2.0)
    assert used(hint) >= 1.0 - 1.5 * SLICE
    assert used(background) == pytest.approx(2.0 - used(hint), abs=2 * SLICE)


@pytest.mark.parametrize("load", [1.0, 3.0, 20.0])
@pytest.mark.parametrize("workers", [1, 2])
def test_whoever_is_admitted_has_the_minimum_in_time(load: float, workers: int) -> None:
    """A flood of short searches, and occasional others."""
    every = 0.05 / workers / load
    flood = [demand(i * every, 0.05, caller="many") for i in range(round(3 / every))]
    others = [demand(0.1 * i, 0.02 * (1 + i % 20), caller=i % 3) for i in range(30)]
    admitted = Simulation(workers, max_searches=10_000).run(sorted(flood + others, key=lambda one: one[0]), 10.0)
    assert min(tree.iterations for [tree] in admitted) >= 100 - SLICE * SPEED
    assert {tree.demand.caller for [tree] in admitted} == {"many", 0, 1, 2}


# -- places ----------------------------------------------------------------------------------------


def admit(policy: Policy, caller: object, most: int = 1000, **fields: object) -> int:
    """Return how many searches of a minute are admitted for a caller."""
    for number in range(most):
        try:
            policy.admit(Demand("game", 60.0, caller=caller, **fields), 0.0)  # type: ignore[arg-type]
        except NoRoom:
            return number
    return most


def test_a_caller_that_has_all_places_leaves_some_to_the_next_and_those_to_the_next_but_one() -> None:
    policy = Policy(1, 64, 100)
    assert [admit(policy, caller) for caller in range(7)] == [64, 32, 16, 8, 4, 2, 1]
    assert admit(policy, 0) == 0


def test_as_many_callers_with_a_search_each_as_all_places_and_no_more() -> None:
    policy = Policy(1, 64, 100)
    assert sum(admit(policy, caller, 1) for caller in range(1000)) == 128


def test_who_had_all_places_does_not_get_them_back_while_others_want_them() -> None:
    """Searches end one after the other, and everybody always requests more: all end up with the same number."""
    policy = Policy(1, 60, 100)
    for caller in range(3):
        admit(policy, caller)
    for _ in range(300):
        policy.leave(policy.trees[0], 0.0)
        for caller in range(3):
            admit(policy, caller, 1)
    had = [sum(tree.demand.caller == caller for tree in policy.trees) for caller in range(3)]
    assert had == pytest.approx([30] * 3, abs=1)


def test_hints_of_one_caller_find_a_place_beside_the_moves_and_hints_of_another() -> None:
    policy = Policy(1, 64, 100)
    assert admit(policy, "many", priority=Priority.HINT) == 32
    assert admit(policy, "many") == 32
    assert admit(policy, "one", priority=Priority.HINT) == 16
    assert admit(policy, "one") == 16


# -- time for the minimum --------------------------------------------------------------------------


def flood(policy: Policy, now: float, budget: float) -> None:
    """Submit searches of a caller until there is no room, and then one more."""
    with pytest.raises(NoRoom):
        for _ in range(1000):
            policy.admit(Demand("game", now + budget, caller="many"), now)


def test_who_was_turned_away_for_want_of_time_finds_some_when_told_to_come_again() -> None:
    """One caller always takes all the time, in searches so short that they run only near their deadlines."""
    policy = Policy(1, 1000, 100, speeds={"game": 100 / SLICE})
    flood(policy, 0.0, 0.05)
    with pytest.raises(NoRoom) as refused:
        policy.admit(Demand("game", 0.05, caller="one"), 0.0)
    now = refused.value.retry
    for tree in list(policy.trees):
        policy.leave(tree, now)
    flood(policy, now, 0.05)
    assert len(policy.trees) == 6  # of the twelve slices in 50 ms
    [tree] = policy.admit(Demand("game", now + 0.05, caller="one"), now)
    assert tree.minimum == 100


def test_room_is_kept_for_a_moment_only() -> None:
    policy = Policy(1, 1000, 100, speeds={"game": 100 / SLICE})
    flood(policy, 0.0, 0.05)
    with pytest.raises(NoRoom):
        policy.admit(Demand("game", 0.05, caller="one"), 0.0)
    for tree in list(policy.trees):
        policy.leave(tree, 2.0)
    flood(policy, 2.0, 0.05)
    assert len(policy.trees) == 12


def test_a_caller_with_nothing_owed_is_not_held_to_its_share() -> None:
    """A share of one in four is less than what any search may need, which is half its budget."""
    policy = Policy(1, 1000, 100, speeds={"game": 1.0})
    long = [policy.admit(Demand("game", 60.0 + i, iterations=1.0, caller=i), 0.0) for i in range(3)]
    give_minimum([tree for [tree] in long])
    [tree] = policy.admit(Demand("game", 1.0, caller="one"), 0.0)
    assert policy.need(tree) == 0.5


def give_minimum(trees: list[TreeTask]) -> None:
    for tree in trees:
        tree.iterations = round(tree.minimum)
