"""Requests that are begun and never finished: they take little memory, give it back, and keep nobody out."""

import asyncio
import threading
from collections import Counter
from typing import Any

import grpc
import psutil
import pytest

from clerestory.v1.rules_pb2 import ListGamesRequest
from clerestory.v1.rules_pb2_grpc import RulesServiceStub
from lab.load.server import own_server
from tests.faults.strangers import Deeds, measured, strangers

MIB = 1 << 20
TAKEN = 300_000_000  # bytes, by requests on their way, whatever strangers do: docs/operations.md
KEPT = 64 * MIB  # once they have left
OPTIONS = [("grpc.use_local_subchannel_pool", 1)]
PATHS = [
    "/clerestory.v1.GameService/ListGames",
    "/clerestory.v1.AdvisorService/Analyze",
    "/grpc.health.v1.Health/Watch",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    "/no.such/Method",
]
ATTACKS = [(12, 4096, path, seconds) for path, seconds in zip(PATHS, (3.0, 1.0, 1.0, 1.0, 1.0), strict=True)]
CROWDS = [(12, 4096), (24, 4096), (200, 4096), (500, 32), (1900, 8)]  # connections, and calls of each
LONG = [pytest.param(*crowd, path, 20.0, marks=pytest.mark.slow) for crowd in CROWDS for path in PATHS]


async def calm(process: psutil.Process, most: int) -> None:
    """Wait until a process takes so little; the test fails by its timeout if it never does."""
    while process.memory_info().rss > most:
        await asyncio.sleep(0.1)


def ask(target: str, ends: "Counter[str]", met: threading.Event, enough: threading.Event) -> None:
    """List the games until it is enough, from a thread of its own, and count how often it ended in which way."""
    with grpc.insecure_channel(target, OPTIONS) as channel:
        rules: Any = RulesServiceStub(channel)
        while not enough.is_set():
            try:
                assert rules.ListGames(ListGamesRequest(), wait_for_ready=True, timeout=300.0).games
                ends["OK"] += 1
            except grpc.RpcError as error:
                ends[error.code().name] += 1
            met.set()


@pytest.mark.parametrize(("connections", "streams", "path", "seconds"), [*ATTACKS, *LONG])
async def test_they_take_little_memory_and_keep_nobody_out(
    connections: int, streams: int, path: str, seconds: float
) -> None:
    """Beside a crowd a call may be refused, or dropped before the server sees it; whoever asks again gets in."""
    ends, met, enough = Counter[str](), threading.Event(), threading.Event()
    with own_server("--workers", "1") as server:
        process = psutil.Process(server.pid)
        other = asyncio.create_task(asyncio.to_thread(ask, server.target, ends, met, enough))
        await asyncio.to_thread(met.wait)
        before, deeds = process.memory_info().rss, Deeds(path, streams)
        async with measured(server.pid) as sizes, strangers(server.target, connections, deeds):
            until = asyncio.get_running_loop().time() + seconds
            while asyncio.get_running_loop().time() < until or deeds.ended < 500 or ends["OK"] < 3:
                await asyncio.sleep(0.1)  # if nobody gets in, the test fails by its timeout
        enough.set()
        await other
        assert max(sizes) - before < TAKEN
        assert set(ends) <= ({"OK"} if connections == 12 else {"OK", "CANCELLED", "RESOURCE_EXHAUSTED"})
        await calm(process, before + KEPT)
        async with grpc.aio.insecure_channel(server.target, OPTIONS) as channel:
            late: Any = RulesServiceStub(channel)
            assert (await late.ListGames(ListGamesRequest())).games
