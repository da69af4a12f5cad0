"""Requests that are begun and never finished: they take little memory, release it, and lock no caller out."""

import asyncio
import ssl
import struct
import threading
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import psutil
import pytest
import trustme

from clerestory.v1.rules_pb2 import ListGamesRequest
from clerestory.v1.rules_pb2_grpc import RulesServiceStub
from loadtest.connections import PREFACE, frame, heads
from loadtest.server import own_server

DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE = 0, 1, 3, 4, 6, 8
END_STREAM, END_HEADERS, ACK = 1, 4, 1
INITIAL_WINDOW = 4  # in SETTINGS
FRAME_BYTES = 16384
DECLARED, SENT = 65_000, 64_000  # bytes of each message, and how many of them are sent as soon as allowed
READ_BYTES = 4096  # bytes per read, so that hundreds of strangers do not block the event loop


@dataclass
class Deeds:
    """The activity of strangers, and its outcome."""

    path: str  # path of the method they call
    streams: int  # number of open calls per connection
    ended: int = 0  # number of calls that the server has ended
    over: bool = False


class Stranger(asyncio.Protocol):
    """A connection that keeps calls open and does not finish their messages."""

    def __init__(self, deeds: Deeds) -> None:
        self._deeds, self._heads = deeds, heads(deeds.path)
        self._buffer, self._next, self._open = b"", 1, set[int]()
        self._window, self._each, self._held = 65535, 65535, False
        self._left, self._windows = dict[int, int](), dict[int, int]()  # bytes not sent yet, and allowed bytes, by call
        self._ready = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.max_size = READ_BYTES  # type: ignore[attr-defined]
        transport.write(PREFACE + frame(SETTINGS, 0, 0))

    def pause_writing(self) -> None:
        self._held = True

    def resume_writing(self) -> None:
        self._held = False
        self._call()

    def data_received(self, data: bytes) -> None:
        buffer, start = self._buffer + data, 0
        while len(buffer) >= start + 9 and len(buffer) >= (
            end := start + 9 + int.from_bytes(buffer[start : start + 3])
        ):
            kind, flags, stream = struct.unpack_from(">BBI", buffer, start + 3)
            self._take(kind, flags, stream, buffer[start + 9 : end])
            start = end
        self._buffer = buffer[start:]
        self._call()

    def _take(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if kind == SETTINGS and not flags & ACK:
            values = dict(struct.iter_unpack(">HI", payload))
            self._each, self._ready = values.get(INITIAL_WINDOW, self._each), True
            self._transport.write(frame(SETTINGS, ACK, 0))
        elif kind == PING and not flags & ACK:
            self._transport.write(frame(PING, ACK, 0, payload))
        elif kind == WINDOW_UPDATE and stream == 0:
            self._window += int.from_bytes(payload)
        elif kind == WINDOW_UPDATE and stream in self._open:
            self._windows[stream] += int.from_bytes(payload)
            self._send(stream)
        elif kind == RST_STREAM or (kind in (DATA, HEADERS) and flags & END_STREAM):
            self._deeds.ended += stream in self._open
            self._open.discard(stream)
            self._left.pop(stream, None)
            self._windows.pop(stream, None)

    def _call(self) -> None:
        while self._ready and len(self._open) < self._deeds.streams and self._window >= self._each:
            if self._held or self._deeds.over:
                return
            stream, self._next = self._next, self._next + 2
            self._open.add(stream)
            self._left[stream], self._windows[stream] = SENT, self._each
            self._transport.write(frame(HEADERS, END_HEADERS, stream, self._heads))
            self._send(stream, struct.pack(">BI", 0, DECLARED))

    def _send(self, stream: int, prefix: bytes = b"") -> None:
        while (number := min(self._left[stream], self._windows[stream] - len(prefix), self._window, FRAME_BYTES)) > 0:
            if self._held:
                return
            self._transport.write(frame(DATA, 0, stream, prefix + bytes(number)))
            self._left[stream] -= number
            self._windows[stream] -= number + len(prefix)
            self._window -= number + len(prefix)
            prefix = b""


@asynccontextmanager
async def strangers(target: str, connections: int, deeds: Deeds) -> AsyncIterator[None]:
    """Run strangers during the block; abort their connections at its end."""
    host, _, port = target.rpartition(":")
    loop = asyncio.get_running_loop()
    made = [await loop.create_connection(lambda: Stranger(deeds), host, int(port)) for _ in range(connections)]
    try:
        yield
    finally:
        deeds.over = True
        for transport, _ in made:
            transport.abort()


@asynccontextmanager
async def measured(pid: int) -> AsyncIterator[list[int]]:
    """Sample a process's memory during the block; yield the samples, in bytes."""
    process, sizes = psutil.Process(pid), list[int]()

    async def sample() -> None:
        while True:
            sizes.append(process.memory_info().rss)
            await asyncio.sleep(0.05)

    sampling = asyncio.ensure_future(sample())
    try:
        yield sizes
    finally:
        sampling.cancel()


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
