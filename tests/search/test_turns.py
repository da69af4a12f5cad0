"""Searching threads yield; no other threads are affected."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from math import inf
from pathlib import Path
from threading import get_native_id

import pytest

from clerestory.search.ismcts import Searcher
from clerestory.search.result import Result
from clerestory.search.root import observe
from clerestory.search.turns import Worker, take_turns
from tests.search.positions import decisions
from tests.shipped import CATHEDRAL

SLICE = 0.004  # seconds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the attributes are Linux's")


def threads() -> set[int]:
    return {int(task.name) for task in Path("/proc/self/task").iterdir()}


def niceness(thread: int) -> int:
    return os.getpriority(os.PRIO_PROCESS, thread)


@pytest.mark.parametrize("more", [3, 30])
def test_a_worker_is_nicer_than_the_thread_that_began_it(more: int) -> None:
    own, before = niceness(get_native_id()), threads()
    worker = Worker(SLICE, more)
    (thread,) = threads() - before
    while niceness(thread) == own:  # it asks for that itself, once it runs
        pass
    assert niceness(thread) == min(own + more, 19)
    assert niceness(get_native_id()) == own
    del worker
    assert thread not in threads()


def test_a_search_in_a_worker_finds_the_same() -> None:
    worker = Worker(SLICE, 1)

    def found(by: Worker | None) -> Result:  # the clock is a call of Python, from whichever thread searches
        searcher = Searcher(observe(decisions(CATHEDRAL, 2, 1)[5]), seed=7, clock=lambda: 1.0)
        for iterations in (300, 200):
            searcher.allow(iterations)
            searcher.step(inf, deadline=inf, worker=by)
        return searcher.result()

    assert found(worker) == found(None)


def test_a_turn_alone_makes_nobody_nicer() -> None:
    with ThreadPoolExecutor(1) as pool:
        before = pool.submit(lambda: niceness(get_native_id())).result()
        assert pool.submit(take_turns, 0.0001).result()
        assert pool.submit(lambda: niceness(get_native_id())).result() == before
