"""Requests that are begun and never finished: they take little memory, release it, and lock no caller out."""

import asyncio
import ssl
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import grpc
import psutil
import pytest
import trustme

from clerestory.v1.rules_pb2 import ListGamesRequest
from clerestory.v1.rules_pb2_grpc import RulesServiceStub
from loadtest.connections import PREFACE, SETTINGS, frame
from loadtest.server import own_server
from loadtest.unfinished import Deeds, measured, strangers

MIB = 1 << 20
TAKEN = 300_000_000  # maximum bytes of incoming requests, for any activity of strangers: docs/operations.md
KEPT = 64 * MIB  # after they have left
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
LET_IN = 250  # connections with TLS of CROWD, AT_ONCE of them started at the same time
CROWD, AT_ONCE = 700, 20
LONG = [pytest.param(*crowd, path, 20.0, marks=pytest.mark.slow) for crowd in CROWDS for path in PATHS]


async def calm(process: psutil.Process, most: int) -> None:
    """Wait until a process uses at most `most` bytes; the test fails by its timeout if it never does."""
    while process.memory_info().rss > most:
        await asyncio.sleep(0.1)


def ask(target: str, ends: "Counter[str]", met: threading.Event, enough: threading.Event) -> None:
    """List the games repeatedly in a separate thread, and count the outcomes."""
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
async def test_unfinished_requests_take_little_memory_and_keep_nobody_out(
    connections: int, streams: int, path: str, seconds: float
) -> None:
    """Beside a crowd a call may be rejected, or dropped before the server sees it; a repeated call succeeds."""
    ends, met, enough = Counter[str](), threading.Event(), threading.Event()
    with own_server("--workers", "1") as server:
        process = psutil.Process(server.pid)
        other = asyncio.create_task(asyncio.to_thread(ask, server.target, ends, met, enough))
        await asyncio.to_thread(met.wait)
        before, deeds = process.memory_info().rss, Deeds(path, streams)
        async with measured(server.pid) as sizes, strangers(server.target, connections, deeds):
            until = asyncio.get_running_loop().time() + seconds
            while asyncio.get_running_loop().time() < until or deeds.ended < 500 or ends["OK"] < 3:
                await asyncio.sleep(0.1)  # if no connection succeeds, the test fails by its timeout
        enough.set()
        await other
        assert max(sizes) - before < TAKEN
        assert set(ends) <= ({"OK"} if connections == 12 else {"OK", "CANCELLED", "RESOURCE_EXHAUSTED"})
        await calm(process, before + KEPT)
        async with grpc.aio.insecure_channel(server.target, OPTIONS) as channel:
            late: Any = RulesServiceStub(channel)
            assert (await late.ListGames(ListGamesRequest())).games


async def come(target: str, trusted: ssl.SSLContext) -> list[asyncio.StreamWriter]:
    """Open connections; return the accepted ones."""
    host, _, port = target.rpartition(":")
    turns, made = asyncio.Semaphore(AT_ONCE), list[asyncio.StreamWriter]()

    async def one() -> None:
        async with turns:
            _, writer = await asyncio.open_connection(host, int(port), ssl=trusted)
            writer.write(PREFACE + frame(SETTINGS, 0, 0))
            made.append(writer)

    await asyncio.gather(*(one() for _ in range(CROWD)), return_exceptions=True)
    return made


async def test_a_crowd_that_begins_tls_at_once_takes_little_memory(tmp_path: Path) -> None:
    authority = trustme.CA()
    issued, trusted = authority.issue_cert("localhost", "127.0.0.1"), ssl.create_default_context()
    authority.configure_trust(trusted)
    trusted.set_alpn_protocols(["h2"])
    issued.cert_chain_pems[0].write_to_path(tmp_path / "cert")
    issued.private_key_pem.write_to_path(tmp_path / "key")
    files = ("--tls-cert", str(tmp_path / "cert"), "--tls-key", str(tmp_path / "key"))
    with own_server("--workers", "1", *files) as server:
        before = psutil.Process(server.pid).memory_info().rss
        async with measured(server.pid) as sizes:
            made = await come(server.target, trusted)
            assert len(made) > LET_IN
            for writer in made:
                writer.transport.abort()
        assert server.process.poll() is None
        assert max(sizes) - before < TAKEN
        proof = grpc.ssl_channel_credentials(authority.cert_pem.bytes())
        async with grpc.aio.secure_channel(server.target, proof) as channel:
            rules: Any = RulesServiceStub(channel)
            assert (await rules.ListGames(ListGamesRequest(), wait_for_ready=True)).games
