"""HTTP/2 connections from many addresses of this machine, with a minimal client, so that thousands cost little.

They call one method repeatedly, each with a constant request. Compressed headers of the answers are not decoded: frames
alone show how a call ended.
"""

import asyncio
import multiprocessing
import random
import struct
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE = 0, 1, 3, 4, 6, 8
END_STREAM, END_HEADERS, ACK = 1, 4, 1
INITIAL_WINDOW = 4  # in SETTINGS
WIDEST = (1 << 31) - 1 - 65535  # maximum growth of a window in bytes
LONGEST = 32  # limit of the pause before a repeated call, in first pauses; the pause doubles with each call that ends


@dataclass(slots=True)
class Crowd:
    """The activity of connections, and its outcome.

    Attributes:
        path: path of the method.
        requests: messages, which connections use in turn.
        streams: number of calls that each connection keeps open.
        begun: number of calls begun.
        shown: number of calls with at least one message in the answer.
        ended: number of calls that have ended.
        dropped: number of those whose stream was reset without an answer.
        messages: number of messages received.
        again: seconds before a call that ended is repeated; the pause doubles each time.
    """

    path: str
    requests: Sequence[bytes]
    streams: int
    again: float = 1.0
    begun: int = 0
    shown: int = 0
    ended: int = 0
    dropped: int = 0
    messages: int = 0
    over: bool = False


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """Return an HTTP/2 frame."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def complete_frames(buffer: bytes) -> tuple[list[tuple[int, int, int, bytes]], bytes]:
    """Return the complete frames of a buffer, as (kind, flags, stream, payload), and the remaining bytes."""
    found, start = [], 0
    while len(buffer) >= start + 9 and len(buffer) >= (end := start + 9 + int.from_bytes(buffer[start : start + 3])):
        found.append((*struct.unpack_from(">BBI", buffer, start + 3), buffer[start + 9 : end]))
        start = end
    return found, buffer[start:]


def text(value: str) -> bytes:
    """Return a short string of HPACK, without Huffman coding (RFC 7541, section 5.2)."""
    assert len(value) < 127
    return bytes([len(value)]) + value.encode()


def heads(path: str) -> bytes:
    """Return the headers of a call, without compression."""
    pairs = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "x", "te": "trailers"}
    pairs["content-type"] = "application/grpc"
    return b"".join(b"\0" + text(name) + text(value) for name, value in pairs.items())


class Connection(asyncio.Protocol):
    """A connection of a crowd."""

    def __init__(self, crowd: Crowd, number: int) -> None:
        self._crowd, self._buffer, self._next = crowd, b"", 1
        request = crowd.requests[number % len(crowd.requests)]
        self._open = dict[int, bool]()  # whether a call was answered
        self._pause = dict[int, float]()  # seconds before it is repeated
        self._call = frame(HEADERS, END_HEADERS, 0, heads(crowd.path))[9:]
        self._message = struct.pack(">BI", 0, len(request)) + request
        self._begun = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the preface, with windows that never fill up."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        settings = frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW, WIDEST))
        transport.write(PREFACE + settings + frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", WIDEST)))

    def data_received(self, data: bytes) -> None:
        """Process the complete frames received so far."""
        received, self._buffer = complete_frames(self._buffer + data)
        for kind, flags, stream, payload in received:
            self._take(kind, flags, stream, payload)

    def _take(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if kind == SETTINGS and not flags & ACK:
            self._transport.write(frame(SETTINGS, ACK, 0))
            if not self._begun:
                self._begun = True
                for _ in range(self._crowd.streams):
                    self._begin(self._crowd.again)
        elif kind == PING and not flags & ACK:
            self._transport.write(frame(PING, ACK, 0, payload))
        elif stream in self._open:
            self._follow(kind, flags, stream)

    def _follow(self, kind: int, flags: int, stream: int) -> None:
        """Update the counts of a call."""
        if kind == DATA:
            self._crowd.messages += 1
            self._crowd.shown += not self._open[stream]
            self._open[stream] = True
        if kind == RST_STREAM or flags & END_STREAM:
            self._crowd.ended += 1
            self._crowd.dropped += kind == RST_STREAM
            del self._open[stream]
            pause, longest = self._pause.pop(stream), LONGEST * self._crowd.again
            asyncio.get_running_loop().call_later(
                pause * random.uniform(0.8, 1.2), self._begin, min(2 * pause, longest)
            )

    def _begin(self, pause: float) -> None:
        """Begin a call, which is repeated `pause` seconds after it ends."""
        if self._crowd.over or self._transport.is_closing():
            return
        stream, self._next = self._next, self._next + 2
        self._open[stream], self._pause[stream] = False, pause
        self._crowd.begun += 1
        begun = frame(HEADERS, END_HEADERS, stream, self._call)
        self._transport.write(begun + frame(DATA, END_STREAM, stream, self._message))


def keep_crowd(target: str, addresses: int, crowd: Crowd, pipe: Any) -> None:
    """Keep a crowd until this process ends, and report its counts each second."""

    async def run() -> None:
        async with crowd_at(target, addresses, crowd):
            while True:
                pipe.send(crowd)
                await asyncio.sleep(1.0)

    asyncio.run(run())


@contextmanager
def crowd_apart(target: str, addresses: int, crowd: Crowd) -> Iterator[Callable[[], Crowd]]:
    """Keep a crowd in another process during the block; yield a function that returns its counts."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(
        target=keep_crowd, args=(target, addresses, crowd, there), daemon=True
    )
    last = crowd

    def latest() -> Crowd:
        nonlocal last
        while here.poll():
            last = here.recv()
        return last

    process.start()
    try:
        yield latest
    finally:
        process.kill()
        process.join()


@asynccontextmanager
async def crowd_at(target: str, addresses: int, crowd: Crowd) -> AsyncIterator[None]:
    """Keep a connection from each of `addresses` addresses open during the block."""
    host, _, port = target.rpartition(":")
    loop, made = asyncio.get_running_loop(), list[asyncio.Transport]()
    for number in range(addresses):
        address = f"127.1.{number // 250}.{1 + number % 250}"
        transport, _ = await loop.create_connection(
            partial(Connection, crowd, number), host, int(port), local_addr=(address, 0)
        )
        made.append(transport)
    try:
        yield
    finally:
        crowd.over = True
        for transport in made:
            transport.abort()
