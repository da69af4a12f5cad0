"""Idle workers help a search, on a simulated clock, and are taken back after a slice."""

import asyncio
from unittest.mock import patch

import pytest

from clerestory.server.analysis.analysis_engine import AnalysisEngine
from clerestory.server.analysis.capacity import Capacity
from clerestory.server.analysis.demand import Priority, TreeTask
from clerestory.server.analysis.limits import Limits
from clerestory.server.analysis.policy import SLICE, Policy
from clerestory.server.analysis.question import validate_query
from tests.server.analysis.simulated import Simulation, demand, used
from tests.server.rpc.harness import opening, until

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


async def test_all_helpers_of_a_search_leave_at_once() -> None:
    """Searching for each of them among those of all searches would take long if there are many."""
    with patch.object(Policy, "leave", autospec=True, side_effect=Policy.leave) as left:
        async with AnalysisEngine(Capacity(workers=4)) as one:
            asking = asyncio.ensure_future(one.ask(validate_query(opening(), Limits(seconds=3600.0, early_stop=False))))
            await until(lambda: one.scheduler.running > 0)
            one.finish()
            await asking
            assert one.scheduler._policy._helpers == []
    assert not any(call.args[1].helps for call in left.call_args_list)


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
