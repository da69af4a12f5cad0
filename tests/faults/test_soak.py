"""Soaks: twice the capacity, and all kinds of callers on a server that is killed: nothing is lost, nothing leaks."""

import asyncio
import os
import re
import time
from pathlib import Path
from urllib.request import urlopen

import psutil
import pytest

from loadtest.corpus import positions
from loadtest.faults.soak import MUTATED, soak
from loadtest.figures import summary
from loadtest.openloop import Load, offer
from loadtest.server import free_port, own_server

SECONDS = float(os.environ.get("CLERESTORY_SOAK_SECONDS", "120"))
FLAT = 1.1  # maximum ratio of memory at the end of the soak to that after its first quarter


def tasks(port: int) -> float:
    """Return the number of tasks in a server's event loop."""
    with urlopen(f"http://127.0.0.1:{port}/metrics") as shown:
        found = re.search(rb"^clerestory_tasks (\S+)$", shown.read(), re.MULTILINE)
    assert found is not None
    return float(found[1])


@pytest.mark.slow
def test_nothing_leaks_at_twice_the_capacity() -> None:
    port = free_port()
    with own_server("--workers", "2", "--metrics", f"127.0.0.1:{port}") as server:
        process, asked = psutil.Process(server.pid), positions(server.target)
        asyncio.run(offer(server.target, 2, asked, Load([(2.0, 10.0)])))  # starts every thread and pool
        descriptors, threads, idle = process.num_fds(), process.num_threads(), tasks(port)
        run = asyncio.run(offer(server.target, 2, asked, Load([(2.0, SECONDS)], seed=2), server.pid))
        figures = summary(run)
        while process.num_fds() > descriptors or tasks(port) > idle:  # the test fails by its timeout
            time.sleep(0.1)
        assert process.num_threads() <= threads + 1
    quarter = len(run.rss) // 4
    assert figures["lost"] == 0
    assert max(run.rss[-quarter:]) <= FLAT * max(run.rss[quarter : 2 * quarter]) + 2**24


@pytest.mark.parametrize(
    ("seed", "kills"), [(0, 4), *(pytest.param(seed, 50, marks=pytest.mark.slow) for seed in range(1, 21))]
)
def test_a_killed_server_loses_and_doubles_nothing_with_everybody_on_it(tmp_path: Path, seed: int, kills: int) -> None:
    """A kill may also come between an action and the only legal ones after it, which the server plays."""
    tally = soak(tmp_path, seed, kills)
    print(tally)
    assert not tally.faults, "\n".join(tally.faults)
    assert tally.entries > 50
    assert tally.forced > 0
    assert tally.mutated >= MUTATED
