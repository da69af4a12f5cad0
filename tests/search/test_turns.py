"""Searching threads yield; no other threads are affected."""

import os
import subprocess
import sys
import time
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

# Skipped on other systems: these thread attributes are Linux's.
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the attributes are Linux's")


def niceness(thread: int) -> int:
    return os.getpriority(os.PRIO_PROCESS, thread)


def searched(worker: Worker | None) -> tuple[Result, int]:
    """Return the result of a search, and the thread that made it, which reads the clock."""
    threads = set[int]()

    def clock() -> float:
        threads.add(get_native_id())
        return 1.0

    searcher = Searcher(observe(decisions(CATHEDRAL, 2, 1)[5]), seed=7, clock=clock)
    for iterations in (300, 200):
        searcher.allow(iterations)
        searcher.step(inf, deadline=inf, worker=worker)
    (thread,) = threads - {get_native_id()} or {get_native_id()}
    return searcher.result(), thread


@pytest.mark.parametrize("more", [3, 30])
def test_a_worker_is_nicer_than_the_thread_that_began_it(more: int) -> None:
    own, worker = niceness(get_native_id()), Worker(SLICE, more)
    _, thread = searched(worker)
    assert thread != get_native_id()
    assert niceness(thread) == min(own + more, 19)
    assert niceness(get_native_id()) == own
    del worker
    while Path(f"/proc/self/task/{thread}").exists():  # the system removes it a moment after its end
        time.sleep(0.001)


def test_a_search_in_a_worker_finds_the_same() -> None:
    assert searched(Worker(SLICE, 1))[0] == searched(None)[0]


def test_a_turn_alone_makes_nobody_nicer() -> None:
    with ThreadPoolExecutor(1) as pool:
        before = pool.submit(lambda: niceness(get_native_id())).result()
        pool.submit(take_turns, 0.0001).result()
        assert pool.submit(lambda: niceness(get_native_id())).result() == before


WITHOUT_TURNS = """
import ctypes, os, platform, struct
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


@pytest.mark.system
def test_a_system_without_turns_makes_workers_nicer_all_the_same() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_TURNS], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("False 0\n", 0), done.stderr
