"""A gateway in front of a server, on real sockets, and a caller with a minimal HTTP client."""

import asyncio
import json
import struct
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from clerestory.clients.connection import dial
from clerestory.server.gateway.bridge import MAX_STREAMS
from clerestory.server.gateway.config import GatewaySettings
from clerestory.server.gateway.serve import opened
from clerestory.server.hardening.connection_slots import CONNECTIONS
from clerestory.v1.advisor_pb2 import AnalyzeRequest, AnalyzeResponse
from loadtest.faults.proxy import loop_in_thread
from tests.server.rpc.harness import HOUR, Served, duration, question, served

PROTO, JSON, STREAM = "application/proto", "application/json", "application/connect+proto"
RULES, ADVICE = "/clerestory.v1.RulesService/", "/clerestory.v1.AdvisorService/"
LIST, ANALYZE = RULES + "ListGames", ADVICE + "Analyze"
HOUR_S, DAY_S = 3600.0, 86_400.0  # time limits in these tests, which only pass when the clock is advanced
ENVELOPE = struct.Struct(">BI")


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def fields(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Caller:
    host: str
    port: int
    server: Served

    @asynccontextmanager
    async def sent(
        self, verb: str, path: str, body: bytes, headers: dict[str, str]
    ) -> AsyncIterator[asyncio.StreamReader]:
        """Send a request on a new connection, yield the answer, and close the connection at the end."""
        lines = {"host": f"{self.host}:{self.port}", "content-length": str(len(body)), "connection": "close"} | headers
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        async with self.connection() as (reader, writer):
            writer.write(f"{verb} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
            yield reader

    @asynccontextmanager
    async def connection(
        self, address: str = "127.0.0.1"
    ) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """Hold a new connection from an address of this machine."""
        reader, writer = await asyncio.open_connection(self.host, self.port, local_addr=(address, 0))
        try:
            yield reader, writer
        finally:
            writer.close()
            with suppress(ConnectionError):  # the other side may have reset it
                await writer.wait_closed()

    async def said(self, request: bytes) -> tuple[int, str]:
        """Return the status and text of the answer to bytes on a new connection, which must then be closed."""
        async with self.connection() as (reader, writer):
            writer.write(request)
            status, _ = await read_head(reader)
            return status, (await reader.read()).decode()

    async def ask(self, verb: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        """Return the answer to a request; `_` in the name of a header means `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.sent(verb, path, body, named) as reader:
            status, found = await read_head(reader)
            return Answer(
                status, found, unchunked(await reader.read()) if "transfer-encoding" in found else await reader.read()
            )

    async def stream(self, body: bytes, **headers: str) -> list[tuple[int, bytes]]:
        answer = await self.ask("POST", ANALYZE, body, **{"content_type": STREAM} | headers)
        return parts(answer.body)

    def streaming(
        self, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> AbstractAsyncContextManager[asyncio.StreamReader]:
        """Hold a stream, by default an endless one, and yield its answer."""
        return self.sent("POST", ANALYZE, ENDLESS if body is None else body, {"content-type": STREAM} | (headers or {}))

    async def call(self, path: str, body: bytes | dict[str, Any], **headers: str) -> Answer:
        if isinstance(body, dict):
            return await self.ask("POST", path, json.dumps(body).encode(), content_type=JSON, **headers)
        return await self.ask("POST", path, body, **{"content_type": PROTO} | headers)


async def read_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
    pairs = (line.split(": ", 1) for line in head[1:] if line)
    return int(head[0].split()[1]), {name.lower(): value for name, value in pairs}


def unchunked(body: bytes) -> bytes:
    found = b""
    while body:
        size, _, rest = body.partition(b"\r\n")
        found += rest[: int(size, 16)]
        body = rest[int(size, 16) + 2 :]
    return found


def enveloped(payload: bytes, flags: int = 0) -> bytes:
    return ENVELOPE.pack(flags, len(payload)) + payload


def parts(body: bytes) -> list[tuple[int, bytes]]:
    found = []
    while body:
        flags, length = ENVELOPE.unpack_from(body)
        found.append((flags, body[5 : 5 + length]))
        body = body[5 + length :]
    return found


def analysis(**fields: Any) -> bytes:
    asked = AnalyzeRequest(question=question(**fields), update_interval=duration(0.02))
    return enveloped(asked.SerializeToString())


ENDLESS = analysis(time_budget=HOUR)


def error_of(stream: list[tuple[int, bytes]]) -> Any:
    flags, end = stream[-1]
    assert flags == 2
    return json.loads(end)["error"]


def reason_of(error: Any) -> str:
    """Return the reason at the beginning of an error's details."""
    first = error["details"][0]
    assert (first["type"], first["debug"]["domain"]) == ("google.rpc.ErrorInfo", "clerestory")
    return str(first["debug"]["reason"])


def address_of(url: str) -> tuple[str, int]:
    split = urlsplit(url)
    assert split.hostname is not None
    assert split.port is not None
    return split.hostname, split.port


@asynccontextmanager
async def gateway(
    page: Path | None = None,
    names: tuple[str, ...] = (),
    proxies: tuple[str, ...] = (),
    origins: tuple[str, ...] = (),
    connections: int = CONNECTIONS,
    streams: int = MAX_STREAMS,
    **settings: Any,
) -> AsyncIterator[Caller]:
    async with served(**settings) as server:
        chosen = GatewaySettings("127.0.0.1:0", names, page=page, proxies=proxies, origins=origins)
        async with opened(chosen, dial(server.app.address, None, None, retries=False), connections, streams) as web:
            yield Caller(*address_of(web.url), server)


@contextmanager
def running_gateway(**settings: Any) -> Iterator[Caller]:
    """Like `gateway`, but in a thread with a separate event loop, for tests that share it."""
    made = gateway(**settings)
    with loop_in_thread() as run:
        yield run(made.__aenter__())
        run(made.__aexit__(None, None, None))


def last_table(chunked: bytes) -> AnalyzeResponse:
    return AnalyzeResponse.FromString(parts(unchunked(chunked))[-2][1])
