"""The tree to search next, on a simulated clock."""

from collections.abc import Callable

import pytest

from clerestory.server.analysis.demand import NoRoom, Priority, TreeTask
from clerestory.server.analysis.policy import SLICE, Policy
from tests.server.analysis.simulated import SPEED, Simulation, demand, used


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("searches", [1, 2, 5, 20])
@pytest.mark.parametrize("budget", [0.2, 1.0])
def test_equal_budgets_at_once_have_equal_shares(workers: int, searches: int, budget: float) -> None:
    admitted = Simulation(workers).run([demand(0, budget) for _ in range(searches)], budget)
    share = budget * min(1, workers / searches)
    assert [used(trees) for trees in admitted] == pytest.approx([share] * searches, abs=1.5 * SLICE)


@pytest.mark.parametrize("long", [1, 4])
@pytest.mark.parametrize("budget", [0.02, 0.05, 0.1])
def test_a_short_search_has_its_share_though_long_ones_came_first(long: int, budget: float) -> None:
    arrivals = [*[demand(0, 10.0) for _ in range(long)], demand(5.0, budget)]
    *_, [short] = Simulation().run(arrivals, 10.0)
    assert short.used >= budget / (long + 1) - SLICE


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_each_tree_has_a_share(threads: int) -> None:
    simulation = Simulation(4)
    first, second = simulation.run([demand(0, 1.0, trees=threads), demand(0, 1.0)], 1.0)
    share = min(1.0, 4 / (threads + 1))
    assert used(first) == pytest.approx(threads * share, abs=2 * threads * SLICE)
    assert used(second) == pytest.approx(share, abs=2 * SLICE)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_move_goes_before_hints_and_hints_have_the_rest(workers: int) -> None:
    hints = [demand(0, 2.0, priority=Priority.HINT) for _ in range(3)]
    *idle, move = Simulation(workers).run([*hints, demand(0.5, 1.0)], 2.0)
    assert used(move) >= 1.0 - SLICE * 1.5
    assert sum(map(used, idle)) == pytest.approx(2.0 * workers - used(move), abs=2 * SLICE)
    assert max(map(used, idle)) - min(map(used, idle)) <= 2 * SLICE


@pytest.mark.parametrize(("capacity", "workers"), [(5.0, 1), (10.0, 2)])
def test_overload_is_forgotten_as_soon_as_it_ends(capacity: float, workers: int) -> None:
    budget, end = 0.25, 2.0
    over = [demand(i * budget / workers / capacity, budget) for i in range(round(end * workers * capacity / budget))]
    calm = [demand(end + 2.0 + i * 2 * budget / workers, budget) for i in range(8)]
    simulation = Simulation(workers, max_searches=10_000)
    admitted = simulation.run([*over, *calm], 9.0)
    assert max(simulation.refused, default=0.0) < end + budget
    assert [used(one) for one in admitted[-8:]] == pytest.approx([budget] * 8, abs=2 * SLICE)


def test_a_hint_under_moves_still_has_its_minimum() -> None:
    arrivals = [demand(0, 3.0), demand(0, 1.0, priority=Priority.HINT)]
    _, [hint] = Simulation().run(arrivals, 3.0)
    assert 100 <= hint.iterations <= 100 + 2 * SLICE * SPEED


@pytest.mark.parametrize("load", [0.5, 1.0, 5.0])
@pytest.mark.parametrize(("workers", "budget"), [(1, 0.05), (2, 0.1), (2, 0.5)])
def test_every_admitted_search_has_its_minimum(load: float, workers: int, budget: float) -> None:
    every = budget / workers / load
    arrivals = [demand(i * every, budget * (1 + i % 3)) for i in range(round(3 / every))]
    simulation = Simulation(workers, max_searches=10_000)
    admitted = simulation.run(arrivals, 10.0)
    assert len(admitted) + len(simulation.refused) == len(arrivals)
    assert min(tree.iterations for [tree] in admitted) >= 100 - 2 * SLICE * SPEED * 0.5
    assert len(simulation.refused) == 0 or load > 1


def test_no_worker_is_idle_while_there_is_work() -> None:
    simulation = Simulation(2)
    simulation.run([demand(0.1 * i, 1.0) for i in range(20)], 2.9)
    assert simulation.idle <= 0.21


def test_a_search_that_ends_by_its_iterations_leaves_the_rest_to_others() -> None:
    [short], [long] = Simulation().run([demand(0, 1.0, iterations=200), demand(0, 1.0)], 1.0)
    assert short.iterations in range(200, 200 + round(SLICE * SPEED) + 1)
    assert long.used == pytest.approx(1.0 - short.used, abs=SLICE)


# -- admission -------------------------------------------------------------------------------------


def policy(**fields: object) -> Policy:
    return Policy(**({"workers": 1, "max_searches": 8, "min_iterations": 100} | fields))  # type: ignore[arg-type]


def crowd(one: Policy, number: int, budget: float, **fields: object) -> None:
    for _ in range(number):
        one.admit(demand(0, budget, **fields)[1], 0.0)


@pytest.mark.parametrize("budget", [1e-6, 0.001, 60.0])
def test_an_idle_server_rejects_nobody(budget: float) -> None:
    crowd(policy(speeds={"game": 1.0}), 1, budget)


def test_hints_have_half_of_the_places_moves_all_and_the_backlog_takes_none() -> None:
    full = policy()
    crowd(full, 100, 60.0, priority=Priority.BACKGROUND, waits=True)
    crowd(full, 4, 60.0, priority=Priority.HINT)
    with pytest.raises(NoRoom):
        crowd(full, 1, 60.0, priority=Priority.HINT)
    crowd(full, 4, 60.0)
    with pytest.raises(NoRoom, match="8 are in progress") as caught:
        crowd(full, 1, 60.0)
    assert caught.value.retry == 5.0


def test_the_minimum_of_the_backlog_is_no_reason_to_reject_others_and_comes_after_theirs() -> None:
    """Twelve slices fit into 50 ms."""
    full = policy(max_searches=1000, min_iterations=100, speeds={"game": 100 / SLICE})
    with pytest.raises(NoRoom, match="no worker can finish the minimum"):
        crowd(full, 1000, 0.05, waits=True)
    assert len(full.trees) == 12
    with pytest.raises(NoRoom, match="no worker can finish the minimum"):
        crowd(full, 1000, 0.051)
    assert len(full.trees) == 24
    picked = full.pick(0.0)
    assert picked is not None
    assert not picked.demand.waits


def test_an_interrupted_search_rests_and_goes_on_with_what_it_had() -> None:
    one = policy()
    [first] = one.admit(demand(0, 60.0, waits=True)[1], 0.0)
    assert one.pick(0.0) is first
    [second] = one.admit(demand(0, 60.0)[1], 0.0)
    one.interrupt([first], 0.002)
    one.put_back(first, SLICE, 80, 0.004)
    assert one.pick(0.004) is second
    one.put_back(second, SLICE, 80, 0.008)
    one.resume([first], 10.0)
    assert (first.iterations, one.lag(first)) == (80, pytest.approx(0.0))
    one.leave(second, 10.0)
    assert one.pick(10.0) is first


@pytest.mark.parametrize(("speed", "room"), [(2_500, 2), (10_500, 8), (40_500, 25)])
def test_room_follows_from_the_measured_speed(speed: float, room: int) -> None:
    measured = policy(max_searches=1000, speeds={"game": speed})
    with pytest.raises(NoRoom, match="no worker can finish the minimum") as caught:
        crowd(measured, 1000, 0.101)
    assert len(measured.trees) == room
    assert caught.value.retry == pytest.approx(0.101)


def test_a_search_that_would_make_another_late_is_rejected() -> None:
    full = policy(max_searches=1000, speeds={"game": 1000.0})
    crowd(full, 1, 0.1)
    crowd(full, 1, 0.21)
    with pytest.raises(NoRoom):
        full.admit(demand(0, 0.2)[1], 0.05)


def test_speed_is_measured_by_kind() -> None:
    one = policy()
    [tree] = one.admit(demand(0, 1.0)[1], 0.0)
    assert one.need(tree) == SLICE
    for seconds in (1.0, *[0.01] * 5):  # the first may have waited for memory
        assert one.speeds == {}
        assert one.pick(0.0) is tree
        one.put_back(tree, seconds, 10, 0.01)
    assert one.speeds == {"game": 1000.0}
    tree.iterations = 90
    assert one.need(tree) == pytest.approx(3 * SLICE)  # 10 ms in whole slices of 4


@pytest.mark.parametrize(("searches", "slow"), [(63, 1), (5, 5)])
def test_a_slow_first_slice_turns_nobody_away(searches: int, slow: int) -> None:
    """It may have waited for the system, or for memory."""
    one = policy(max_searches=64)
    crowd(one, searches, 60.0)
    for tree in one.trees[:slow]:
        one.put_back(tree, 1.0, 1, 1.0)
    one.admit(demand(1.0, 59.0)[1], 1.0)


class CountedTask(TreeTask):
    """A task that counts how often the policy reads it."""

    looks = 0

    def __getattribute__(self, name: str) -> object:
        if name == "demand":
            CountedTask.looks += 1
        return super().__getattribute__(name)


def looks(trees: int, act: Callable[[Policy], object]) -> int:
    """Return how often a full policy reads its trees during an operation."""
    one = policy(workers=2, max_searches=5)
    for part in range(8):
        crowd(one, 1, 60.0, trees=trees // 8, origin="many", part=part)
    one.trees = [CountedTask(tree.demand, 0, tree.budget, 0.0, tree.minimum) for tree in one.trees]
    CountedTask.looks = 0
    act(one)
    return CountedTask.looks


def test_a_call_is_rejected_without_a_look_at_the_trees() -> None:
    """A caller that ignores rejections makes the server do this repeatedly."""

    def refused(one: Policy) -> None:
        with pytest.raises(NoRoom):
            one.require_place("many", 0, Priority.MOVE, 0.0)

    assert looks(800, refused) == 0


@pytest.mark.parametrize("act", [lambda one: one.pick(0.0), lambda one: one.leave(one.trees[0], 0.0)])
def test_a_turn_costs_in_proportion_to_the_trees(act: Callable[[Policy], object]) -> None:
    few, many = looks(80, act), looks(800, act)
    assert few >= 80
    assert many <= 10.5 * few


def test_a_held_or_running_tree_is_not_picked() -> None:
    one = policy(workers=2)
    first, second = one.admit(demand(0, 1.0, trees=2)[1], 0.0)
    second.held = True
    assert one.pick(0.0) is first
    assert one.pick(0.0) is None
    second.held = False
    assert one.pick(0.0) is second


def test_leaving_twice_is_no_error() -> None:
    one = policy()
    [tree] = one.admit(demand(0, 1.0)[1], 0.0)
    one.leave(tree, 0.0)
    one.leave(tree, 0.0)
    assert one.trees == []
