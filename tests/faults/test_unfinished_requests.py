"""Requests that are begun and never finished: they take little memory, give it back, and keep nobody out."""

import asyncio
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


async def listed(rules: Any, *, dropped: bool) -> bool:
    """Whether the games are listed; so many strangers may have gRPC drop a call before the server sees it."""
    try:
        return bool((await rules.ListGames(ListGamesRequest(), wait_for_ready=True)).games)
    except grpc.aio.AioRpcError as error:
        return dropped and error.code() == grpc.StatusCode.CANCELLED


@pytest.mark.parametrize(("connections", "streams", "path", "seconds"), [*ATTACKS, *LONG])
async def test_they_take_little_memory_and_keep_nobody_out(
    connections: int, streams: int, path: str, seconds: float
) -> None:
    with own_server("--workers", "1") as server:
        process = psutil.Process(server.pid)
        async with grpc.aio.insecure_channel(server.target, OPTIONS) as channel:
            rules: Any = RulesServiceStub(channel)
            await rules.ListGames(ListGamesRequest())
            before, deeds = process.memory_info().rss, Deeds(path, streams)
            async with measured(server.pid) as sizes, strangers(server.target, connections, deeds):
                until = asyncio.get_running_loop().time() + seconds
                while asyncio.get_running_loop().time() < until or deeds.ended < 500:
                    assert await listed(rules, dropped=connections > 12)
            assert max(sizes) - before < TAKEN
            await calm(process, before + KEPT)
            assert (await rules.ListGames(ListGamesRequest())).games
