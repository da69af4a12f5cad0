"""Connections from many addresses of this machine that speak HTTP/2 by themselves, so that thousands cost little.

They call one method over and over, each with a request that stays the same. What is compressed in the answers is not
read: how a call ended is told by the frames alone.
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
INITIAL_WINDOW = 4  # of SETTINGS
WIDEST = (1 << 31) - 1 - 65535  # bytes by which a window can be widened
LONGEST = 32  # times its first pause that a caller waits at most, which doubles with each call that has ended


@dataclass(slots=True)
class Crowd:
    """What connections do, and what became of it.

    Attributes:
        path: of the method.
        requests: their messages; connections have them in turn.
        streams: calls that each connection keeps open.
        begun: calls that were begun.
        shown: calls that were answered by at least one message.
        ended: calls that have ended.
        dropped: those of them without a word: the stream was reset.
        messages: pieces of answers.
        again: seconds before a call is made again that has ended; twice as many the next time.
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
    """Return a frame of HTTP/2."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


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
        self._pause = dict[int, float]()  # before it is made again
        self._call = frame(HEADERS, END_HEADERS, 0, heads(crowd.path))[9:]
        self._message = struct.pack(">BI", 0, len(request)) + request
        self._begun = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, with windows that are never full."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        settings = frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW, WIDEST))
        transport.write(PREFACE + settings + frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", WIDEST)))

    def data_received(self, data: bytes) -> None:
        """Take the whole frames of what has arrived."""
        buffer, start = self._buffer + data, 0
        while len(buffer) >= start + 9:
            end = start + 9 + int.from_bytes(buffer[start : start + 3])
            if len(buffer) < end:
                break
            kind, flags, stream = struct.unpack_from(">BBI", buffer, start + 3)
            self._take(kind, flags, stream, buffer[start + 9 : end])
            start = end
        self._buffer = buffer[start:]

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
        """Note what becomes of a call."""
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
        """Begin a call, which is made again after so many seconds."""
        if self._crowd.over or self._transport.is_closing():
            return
        stream, self._next = self._next, self._next + 2
        self._open[stream], self._pause[stream] = False, pause
        self._crowd.begun += 1
        begun = frame(HEADERS, END_HEADERS, stream, self._call)
        self._transport.write(begun + frame(DATA, END_STREAM, stream, self._message))


def keep_crowd(target: str, addresses: int, crowd: Crowd, told: Any) -> None:
    """Have a crowd for as long as this process lives, and tell each second what it has done so far."""

    async def run() -> None:
        async with crowd_at(target, addresses, crowd):
            while True:
                told.send(crowd)
                await asyncio.sleep(1.0)

    asyncio.run(run())


@contextmanager
def crowd_apart(target: str, addresses: int, crowd: Crowd) -> Iterator[Callable[[], Crowd]]:
    """Have a crowd in another process during the block; yield what returns what it has done so far."""
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
    """Have connections of so many addresses during the block, one of each."""
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
