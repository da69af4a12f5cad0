"""A server under twice its capacity, for as long as CLERESTORY_SOAK_SECONDS says: nothing is lost, nothing leaks."""

import asyncio
import os
import time

import psutil
import pytest

from loadtest.corpus import positions
from loadtest.figures import summary
from loadtest.openloop import Load, offer
from loadtest.server import own_server

SECONDS = float(os.environ.get("CLERESTORY_SOAK_SECONDS", "120"))
FLAT = 1.1  # memory at the end of the soak over that after its first quarter, at most


@pytest.mark.slow
def test_a_soak_at_twice_the_capacity() -> None:
    with own_server("--workers", "2") as server:
        process, asked = psutil.Process(server.pid), positions(server.target)
        asyncio.run(offer(server.target, 2, asked, Load([(2.0, 10.0)])))  # every thread and pool is there now
        descriptors, threads = process.num_fds(), process.num_threads()
        run = asyncio.run(offer(server.target, 2, asked, Load([(2.0, SECONDS)], seed=2), server.pid))
        figures = summary(run)
        while process.num_fds() > descriptors:  # the test fails by its timeout
            time.sleep(0.1)
        assert process.num_threads() <= threads + 1
    quarter = len(run.rss) // 4
    assert figures["lost"] == 0
    assert max(run.rss[-quarter:]) <= FLAT * max(run.rss[quarter : 2 * quarter]) + 2**24
