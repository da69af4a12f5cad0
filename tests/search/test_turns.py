"""Searching threads yield; no other threads are affected."""

import os
import platform
import subprocess
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


REFUSED = """
import ctypes, os, platform, struct, sys, threading
from clerestory.search.turns import Worker, take_turns

def refuse(number):
    # Let the system answer a call with ENOSYS, as some containers do (seccomp(2)).
    load, compare, answer = 0x20, 0x15, 0x06  # BPF_LD | BPF_W | BPF_ABS, BPF_JMP | BPF_JEQ | BPF_K, BPF_RET | BPF_K
    steps = [(load, 0, 0, 0), (compare, 0, 1, number), (answer, 0, 0, 0x50000 | 38), (answer, 0, 0, 0x7FFF0000)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    given = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(program)))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    assert prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
    assert prctl(22, 2, ctypes.c_void_p(ctypes.addressof(given))) == 0, ctypes.get_errno()  # PR_SET_SECCOMP

refuse({"x86_64": 314, "aarch64": 274}[platform.machine()])
before, own = set(os.listdir("/proc/self/task")), os.getpriority(os.PRIO_PROCESS, 0)
print(take_turns(0.004), os.getpriority(os.PRIO_PROCESS, 0) - own)
worker = Worker(0.004, 3)
(thread,) = set(os.listdir("/proc/self/task")) - before
while os.getpriority(os.PRIO_PROCESS, int(thread)) != own + 3:
    pass
"""


@pytest.mark.skipif(platform.machine() not in {"x86_64", "aarch64"}, reason="calls have other numbers")
def test_a_system_without_turns_is_told_from_one_with_them() -> None:
    """Nothing changes then but the niceness of workers."""
    done = subprocess.run([sys.executable, "-c", REFUSED], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("False 0\n", 0), done.stderr


def test_a_turn_alone_makes_nobody_nicer() -> None:
    with ThreadPoolExecutor(1) as pool:
        before = pool.submit(lambda: niceness(get_native_id())).result()
        assert pool.submit(take_turns, 0.0001).result()
        assert pool.submit(lambda: niceness(get_native_id())).result() == before
