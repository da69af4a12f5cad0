"""Callers that leave in the middle of a call cost the server no lasting resources."""

import asyncio
import json
import signal
import subprocess
import sys
import time

import grpc
import psutil
import pytest

from clerestory.clients import Advisor
from clerestory.clients.wire import duration, position_message
from clerestory.v1.advisor_pb2 import AnalyzeRequest, RecommendMoveRequest
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from loadtest.server import ServerProcess
from tests.faults.conftest import POSITION

HINT = AnalyzeRequest(
    question=RecommendMoveRequest(position=position_message(POSITION), time_budget=duration(600)),
    update_interval=duration(0.01),
)
CALLER = """
import sys
from clerestory.clients import Advisor
with Advisor(sys.argv[1], retries=False) as advisor:
    for _ in advisor.analyze(sys.argv[2], 600, every=0.02):
        print("table", flush=True)
"""


def answers(server: ServerProcess) -> None:
    """Require that the server has room for a whole search, and no worker is busy with another."""
    with Advisor(server.target) as advisor:
        assert advisor.recommend(POSITION, iterations=500, early_stop=False).iterations == 500


def rests(server: ServerProcess) -> None:
    """Wait until the server uses hardly any processor time, as it does once every search has ended."""
    process = psutil.Process(server.pid)
    while process.cpu_percent(0.2) > 20:
        pass


def gives_back(server: ServerProcess, before: int) -> None:
    """Wait until the server has no more descriptors than before; the test fails by its timeout."""
    process = psutil.Process(server.pid)
    while process.num_fds() > before:
        time.sleep(0.05)


async def abort(target: str, channels: int) -> None:
    """Open a stream of hints on each of some channels, and close the channel after its first table."""
    options = [("grpc.use_local_subchannel_pool", 1)]

    async def one() -> None:
        async with grpc.aio.insecure_channel(target, options) as channel:
            stream = AdvisorServiceStub(channel).Analyze(HINT)
            await stream.read()

    await asyncio.gather(*(one() for _ in range(channels)))


@pytest.mark.parametrize("channels", [40, pytest.param(1000, marks=pytest.mark.slow)])
def test_channels_that_are_aborted_in_mid_stream_leave_nothing(server: ServerProcess, channels: int) -> None:
    asyncio.run(abort(server.target, 10))
    before = psutil.Process(server.pid).num_fds()
    for _ in range(channels // 10):
        asyncio.run(abort(server.target, 10))
    gives_back(server, before)
    rests(server)
    answers(server)


def test_clients_that_are_killed_leave_nothing(server: ServerProcess) -> None:
    answers(server)
    before = psutil.Process(server.pid).num_fds()
    command = [sys.executable, "-c", CALLER, server.target, json.dumps(POSITION)]
    callers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    for caller in callers:
        assert caller.stdout is not None
        assert caller.stdout.readline() == "table\n"
    for caller in callers:
        caller.send_signal(signal.SIGKILL)
        caller.communicate()
    gives_back(server, before)
    rests(server)
    answers(server)
