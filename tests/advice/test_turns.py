"""Searching threads yield; no other threads are affected."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import get_native_id

import pytest

from clerestory.advice.policy import SLICE
from clerestory.server.turns import take_turns

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the attributes are Linux's")


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, get_native_id())


def test_a_thread_is_nicer_than_the_one_that_began_it() -> None:
    before = niceness()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(take_turns, SLICE, 3).result()
        assert pool.submit(niceness).result() == min(before + 3, 19)
        assert pool.submit(take_turns, SLICE, 30).result()
        assert pool.submit(niceness).result() == 19
    assert niceness() == before


def test_a_turn_alone_makes_nobody_nicer() -> None:
    with ThreadPoolExecutor(1) as pool:
        before = pool.submit(niceness).result()
        assert pool.submit(take_turns, 0.0001).result()
        assert pool.submit(niceness).result() == before
