"""The order in which waiting background tasks get a place, on a simulated clock."""

import random

import pytest

from clerestory.server.analysis.backlog import LEAST_SECONDS, QUANTUM, Backlog, Changes, Ticket
from clerestory.server.analysis.demand import Priority


def ticket(origin: object, deadline: float, part: object = "", priority: Priority = Priority.MOVE) -> Ticket:
    return Ticket(origin, part, deadline, priority, needs_idle=priority == Priority.BACKGROUND)


def entered(backlog: Backlog, *tickets: Ticket, now: float = 0.0, idle: bool = True) -> Changes:
    for one in tickets:
        backlog.enter(one)
    return backlog.divide(now, idle=idle)


def test_the_earliest_deadline_goes_first() -> None:
    backlog, tickets = Backlog(2), [ticket(origin, deadline) for origin, deadline in enumerate((3.0, 1.0, 2.0))]
    assert entered(backlog, *tickets).placed == [tickets[1], tickets[2]]
    for _ in range(2):  # the second time, nothing happens
        backlog.leave(tickets[1])
    assert backlog.divide(0.0, idle=True).placed == [tickets[0]]


def test_origins_and_their_parts_share_the_places() -> None:
    backlog = Backlog(4)
    many = [ticket("many", 1.0 + number, part=number // 3) for number in range(6)]
    one = [ticket("one", 50.0 + number) for number in range(3)]
    placed = entered(backlog, *many, *one).placed
    assert placed == [many[0], many[3], *one[:2]]


def test_a_search_is_interrupted_by_one_with_an_earlier_deadline_and_goes_on_later() -> None:
    backlog, long, short = Backlog(1), ticket("one", 60.0), ticket("other", 1.0)
    entered(backlog, long)
    assert entered(backlog, short, now=QUANTUM / 2).placed == []
    changes = backlog.divide(QUANTUM, idle=True)
    assert (changes.placed, changes.interrupted) == ([short], [long])
    assert backlog.divide(10.0, idle=True).placed == []
    backlog.leave(short)
    assert backlog.divide(10.0, idle=True).placed == [long]


def test_as_many_are_interrupted_as_there_are_places_and_no_more() -> None:
    backlog, changes = Backlog(2), list[Changes]()
    for step in range(8):
        changes.append(entered(backlog, *(ticket(step, 60.0 - step) for _ in range(2)), now=step))
    assert sum(len(one.interrupted) for one in changes) == 2
    assert (backlog.placed, backlog.waiting) == (2, 14)


def test_searches_that_need_an_idle_worker_wait_for_one() -> None:
    backlog, late, move = Backlog(2), ticket("one", 1.0, priority=Priority.BACKGROUND), ticket("one", 60.0)
    assert entered(backlog, late, move, idle=False).placed == [move]
    assert backlog.divide(0.0, idle=True).placed == [late]


def test_the_time_is_shared_with_those_who_wait() -> None:
    """All finish by the end of their time."""
    backlog, now, served = Backlog(4), 0.0, 0
    running = entered(backlog, *(ticket(number, 60.0) for number in range(40))).placed
    while running:
        now += backlog.seconds(running[0], now)
        served += len(running)
        for one in running:
            backlog.leave(one)
        running = backlog.divide(now, idle=True).placed
    assert (served, now) == (40, pytest.approx(60.0))


def test_a_late_search_has_a_minimum_time() -> None:
    backlog, late = Backlog(1), ticket("one", 1.0)
    entered(backlog, late, now=5.0)
    assert backlog.seconds(late, 5.0) == LEAST_SECONDS


@pytest.mark.parametrize("seed", range(20))
def test_everybody_gets_a_place_and_there_are_never_more_than_there_are(seed: int) -> None:
    luck, backlog, here, now = random.Random(seed), Backlog(3), list[Ticket](), 0.0
    for _ in range(500):
        now += luck.choice((0.0, 0.01, 1.0))
        if luck.random() < 0.5:
            here.append(
                ticket(luck.randrange(4), now + luck.uniform(0, 60), luck.randrange(2), luck.choice([*Priority]))
            )
            backlog.enter(here[-1])
        elif here:
            backlog.leave(here.pop(luck.randrange(len(here))))
        backlog.divide(now, idle=luck.random() < 0.5)
        interrupted = sum(one.begun and one.placed is None for one in here)
        assert backlog.placed <= backlog.places
        assert interrupted <= backlog.places
        assert backlog.placed + backlog.waiting == len(here)
    while here:
        now += 1.0
        backlog.divide(now, idle=True)
        ready = [one for one in here if one.placed is not None]
        assert len(ready) == min(backlog.places, len(here))
        backlog.leave(ready[0])
        here.remove(ready[0])
