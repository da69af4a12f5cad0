"""A server in the event loop of a test, which receives notices."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from clerestory.server.app import App


class Received:
    """What a server of a test received: each request as its lines and its content."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.requests: list[tuple[list[str], bytes]] = []

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
        length = next(int(line.partition(": ")[2]) for line in lines if line.startswith("content-length: "))
        self.requests.append((lines, await reader.readexactly(length)))
        writer.write(self.answer)
        await writer.drain()
        writer.close()


def counted(app: App, outcome: str) -> float | None:
    """Return how many notices of a server had an outcome; None before the first."""
    return app.metrics.registry.get_sample_value("clerestory_notices_total", {"outcome": outcome})


@asynccontextmanager
async def receiving(
    answer: bytes = b"HTTP/1.1 204 No Content\r\n\r\n", tls: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[Received, int]]:
    received = Received(answer)
    server = await asyncio.start_server(received, "127.0.0.1", 0, ssl=tls)
    async with server:
        yield received, server.sockets[0].getsockname()[1]
