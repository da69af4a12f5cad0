"""Connections that keep calls open and do not finish their messages, and the memory that they take of a server."""

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import psutil

from loadtest.connections import (
    ACK,
    DATA,
    END_HEADERS,
    END_STREAM,
    HEADERS,
    INITIAL_WINDOW,
    PING,
    PREFACE,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    complete_frames,
    frame,
    heads,
)

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
        """Send the preface, and receive little at a time."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.max_size = READ_BYTES  # type: ignore[attr-defined]
        transport.write(PREFACE + frame(SETTINGS, 0, 0))

    def pause_writing(self) -> None:
        """Send nothing more."""
        self._held = True

    def resume_writing(self) -> None:
        """Continue."""
        self._held = False
        self._call()

    def data_received(self, data: bytes) -> None:
        """Process the complete frames received so far, and make new calls."""
        received, self._buffer = complete_frames(self._buffer + data)
        for kind, flags, stream, payload in received:
            self._take(kind, flags, stream, payload)
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
