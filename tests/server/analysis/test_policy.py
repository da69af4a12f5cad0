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


def test_a_move_goes_before_a_hint_of_its_caller_that_is_behind() -> None:
    one = policy()
    crowd(one, 2, 60.0, priority=Priority.HINT)
    first = one.pick(0.0)
    assert first is not None
    one.put_back(first, 1.0, 100, 1.0)
    assert max(map(one.lag, one.trees)) > 0
    [move] = one.admit(demand(1.0, 60.0)[1], 1.0)
    assert one.pick(1.0) is move


def test_a_hint_under_moves_still_has_its_minimum() -> None:
    arrivals = [demand(0, 3.0), demand(0, 1.0, priority=Priority.HINT)]
    _, [hint] = Simulation().run(arrivals, 3.0)
    assert 100 <= hint.iterations <= 100 + 2 * SLICE * SPEED


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


def test_little_of_a_very_long_slice_counts_against_its_caller() -> None:
    """It may have waited for the system."""
    one = policy(speeds={"game": 1e6})
    crowd(one, 1, 60.0, origin="other")
    [tree] = one.admit(demand(0, 60.0, origin="one")[1], 0.0)
    assert {id(one.pick(0.0)) for _ in range(2)} == set(map(id, one.trees))
    one.put_back(tree, 10.0, 1000, 10.0)
    with pytest.raises(NoRoom):
        one.admit(demand(10.0, 0.15, origin="one")[1], 10.0)
    one.admit(demand(10.0, 1.0, origin="one")[1], 10.0)


def test_a_background_search_does_not_count_against_a_small_one_of_its_caller() -> None:
    one = policy(speeds={"game": 1e6})
    crowd(one, 1, 60.0, origin="other")
    [tree] = one.admit(demand(0, 60.0, origin="one", waits=True)[1], 0.0)
    assert {id(one.pick(0.0)) for _ in range(2)} == set(map(id, one.trees))
    one.put_back(tree, 10.0, 1000, 10.0)
    one.admit(demand(10.0, 0.15, origin="one")[1], 10.0)


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
        CountedTask.looks += name == "demand"
        return super().__getattribute__(name)


def full(trees: int) -> Policy:
    """Return a full policy whose trees are counted from now on."""
    one = policy(workers=2, max_searches=5)
    for part in range(8):
        crowd(one, 1, 60.0, trees=trees // 8, origin="many", part=part)
    one.trees = [CountedTask(tree.demand, 0, tree.budget, 0.0, tree.minimum) for tree in one.trees]
    CountedTask.looks = 0
    return one


def test_a_call_is_rejected_without_a_look_at_the_trees() -> None:
    """A caller that ignores rejections makes the server do this repeatedly."""
    with pytest.raises(NoRoom):
        full(800).require_place("many", 0, Priority.MOVE, 0.0)
    assert CountedTask.looks == 0


@pytest.mark.parametrize("act", [lambda one: one.pick(0.0), lambda one: one.leave(one.trees[0], 0.0)])
def test_a_turn_costs_in_proportion_to_the_trees(act: Callable[[Policy], object]) -> None:
    costs = list[int]()
    for trees in (80, 800):
        act(full(trees))
        costs.append(CountedTask.looks)
    assert costs[0] >= 80
    assert costs[1] <= 10.5 * costs[0]


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


# -- helpers ---------------------------------------------------------------------------------------


Tasks = list[TreeTask]


def own(tasks: Tasks) -> float:
    return sum(task.used for task in tasks if not task.helps)


def helped(tasks: Tasks) -> float:
    return sum(task.used for task in tasks if task.helps)


@pytest.mark.parametrize(("workers", "helpers", "had"), [(1, 3, 1.0), (2, 3, 2.0), (4, 3, 4.0), (4, 1, 2.0)])
def test_a_search_alone_has_every_worker_that_may_help_it(workers: int, helpers: int, had: float) -> None:
    [search] = Simulation(workers).run([demand(0, 1.0, helpers=helpers)], 1.0)
    assert own(search) == pytest.approx(1.0, abs=2 * SLICE)
    assert used(search) == pytest.approx(had, abs=2 * SLICE * workers)


def test_helpers_are_given_back_when_another_caller_comes() -> None:
    first, second = Simulation(2).run([demand(0, 2.0, origin="one", helpers=1), demand(1.0, 1.0, origin="two")], 2.0)
    assert helped(first) == pytest.approx(1.0, abs=3 * SLICE)
    assert used(second) == pytest.approx(1.0, abs=3 * SLICE)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_full_server_shares_as_without_helpers(workers: int) -> None:
    """A caller that had helpers owes nothing for them, and gets no more than others."""
    arrivals = [demand(0.01 * i, 1.0, origin=i % 3, helpers=workers - 1) for i in range(3 * workers)]
    plain = [demand(0.01 * i, 1.0, origin=i % 3) for i in range(3 * workers)]
    with_helpers, without = Simulation(workers).run(arrivals, 1.0), Simulation(workers).run(plain, 1.0)
    assert [own(one) for one in with_helpers] == pytest.approx([own(one) for one in without], abs=3 * SLICE)


def test_helpers_come_after_background_searches() -> None:
    arrivals = [demand(0, 1.0, helpers=1), demand(0, 1.0, priority=Priority.BACKGROUND)]
    move, background = Simulation(2).run(arrivals, 1.0)
    assert helped(move) <= 2 * SLICE
    assert used(background) == pytest.approx(1.0, abs=3 * SLICE)


def test_callers_have_equally_many_helpers() -> None:
    """Regardless of their numbers of searches."""
    many = [demand(0, 1.0, origin="many", helpers=7) for _ in range(3)]
    *those, one = Simulation(8).run([*many, demand(0, 1.0, origin="one", helpers=7)], 1.0)
    assert sum(map(helped, those)) == pytest.approx(2.0, abs=8 * SLICE)
    assert helped(one) == pytest.approx(2.0, abs=8 * SLICE)


def test_helpers_leave_with_their_search() -> None:
    simulation = Simulation(2)
    [search] = simulation.run([demand(0, 0.5, helpers=1)], 1.0)
    assert not any(task.running for task in search)
    assert simulation.idle == pytest.approx(1.0, abs=4 * SLICE)


@pytest.mark.parametrize(("trees", "helpers"), [(1, 0), (1, 3), (2, 2)])
def test_nothing_is_left_of_a_search_that_was_interrupted_and_has_ended(trees: int, helpers: int) -> None:
    policy, (_, asked) = Policy(4, 8, 100), demand(0, 60.0, trees=trees, helpers=helpers, waits=True)
    tasks = policy.admit(asked, 0.0)
    policy.interrupt(tasks, 1.0)
    policy.resume(tasks, 2.0)
    picked = [policy.pick(2.0) for _ in range(trees + helpers + 1)]
    assert [one and one.helps for one in picked] == [False] * trees + [True] * helpers + [None]
    for task in tasks:
        policy.put_back(task, SLICE, 10, 3.0)
        if not task.helps:
            policy.leave(task, 3.0)
    assert policy.pick(3.0) is None


def test_a_thread_that_has_made_its_iterations_does_not_go_on_after_an_interruption() -> None:
    policy, (_, asked) = Policy(4, 8, 100), demand(0, 60.0, trees=2, iterations=100, waits=True)
    done, other = policy.admit(asked, 0.0)
    assert policy.pick(0.0) is done
    policy.put_back(done, SLICE, 100, SLICE)
    policy.leave(done, SLICE)
    policy.interrupt([done, other], 1.0)
    policy.resume([done, other], 2.0)
    assert [policy.pick(2.0), policy.pick(2.0)] == [other, None]
