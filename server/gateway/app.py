"""The gateway's ASGI application: checks origins, forwards calls, and serves health, schemas and the page."""

import asyncio
import gzip
import json
import logging
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

from clerestory.engine.schemas import SCHEMAS as FILES
from clerestory.metadata import LANGUAGE, LANGUAGES
from clerestory.server.gateway.bridge import PASSED_ON, Bridge, BrowserCall, Metadata
from clerestory.server.gateway.codec import CODECS, END, LARGE, Codec, Reader, wrapped
from clerestory.server.gateway.config import GatewaySettings
from clerestory.server.gateway.errors import ConnectError, OwnError, UnreadableRequest
from clerestory.server.gateway.http import CallerLeft, Headers, HttpExchange, Receive, Scope, Send
from clerestory.server.gateway.methods import Method, methods
from clerestory.server.gateway.openapi import openapi
from clerestory.server.gateway.page import NO_PAGE, File, read_file
from clerestory.service_errors import Reason

ACCEPTED = {
    streams: ", ".join(kind for kind, codec in CODECS.items() if codec.streams == streams) for streams in (False, True)
}  # media types of unary and of streaming methods, for error messages
MAX_PASSED = 6 * 1024  # characters in all forwarded headers; gRPC drops a call with 8 KiB of them without an error
HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^]\[:/?#@\s]+)(?::[0-9]{0,5})?")  # a `Host` header: name or address, and port

OURS = "/clerestory."  # prefix of the paths of methods
HEALTH, SERVING = "/health", "SERVING"
CHECK = Method("/grpc.health.v1.Health/Check", streams=False, request=HealthCheckRequest, response=HealthCheckResponse)
SECONDS = 3.0  # timeout of a health check, the same as for `clerestory health`
SMALL = 1024  # bytes of an answer that compression would not make much smaller
FAST = 1  # level of compression: of the size, higher levels save another tenth
PREFLIGHT_SECONDS = 7200  # lifetime of a preflight in a browser's cache; Chromium's maximum
ENCODINGS = ("content-encoding", "connect-content-encoding")  # of a unary request, and of a stream's
ALLOWED = ", ".join(("content-type", *ENCODINGS, "connect-protocol-version", "connect-timeout-ms", *PASSED_ON))
PREFLIGHT = [
    ("access-control-allow-methods", "GET, POST"),
    ("access-control-allow-headers", ALLOWED),
    ("access-control-max-age", str(PREFLIGHT_SECONDS)),
]

SCHEMAS = {"/openapi.json": openapi, **{f"/{name}.schema.json": make for name, make in FILES.items()}}
GZIPPED = ("content-encoding", "gzip")
READABLE = ("cross-origin-resource-policy", "cross-origin")  # any page may find out that there is a server

logger = logging.getLogger(__name__)


class GatewayApp:
    """The ASGI application of the gateway.

    Args:
        bridge: forwards calls to the server.
        settings: the gateway's settings.
        page: the files of the web page, by path.
    """

    def __init__(self, bridge: Bridge, settings: GatewaySettings, page: Mapping[str, File]) -> None:
        self._bridge, self._settings, self._page = bridge, settings, page
        self._reader = Reader()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        if scope["type"] != "http":
            return
        exchange = HttpExchange(scope, receive, send)
        try:
            await self._answer(exchange)
        except CallerLeft:
            logger.debug("a caller left")

    async def _answer(self, exchange: HttpExchange) -> None:
        method = methods().get(exchange.path)
        exchange.also += self._settings.sharing(exchange.headers.get("origin", ""))
        if problem := self._why_rejected(exchange):
            await reject(exchange, 403, ConnectError("permission_denied", problem))
        elif exchange.method == "OPTIONS" and "access-control-request-method" in exchange.headers:
            await exchange.say(200, "", PREFLIGHT)
        elif method is not None and exchange.method == "POST":
            await self._call(exchange, method)
        elif method is not None:
            await reject(exchange, 405, UnreadableRequest("methods are called by POST"), [("allow", "POST")])
        elif exchange.method in ("GET", "HEAD") and not exchange.path.startswith(OURS):
            await self._get(exchange)
        elif exchange.path == HEALTH or exchange.path in SCHEMAS or exchange.path in self._page:
            await reject(exchange, 405, UnreadableRequest("files are read by GET"), [("allow", "GET, HEAD")])
        else:
            error = f"{exchange.path[:80]!r} is not the path of a method that has a single request"
            await reject(exchange, 404, OwnError(Reason.NO_SUCH_METHOD, error))

    async def _get(self, exchange: HttpExchange) -> None:
        """Answer a request for health, a schema, or a file of the page."""
        if exchange.path == HEALTH:
            await self._tell_health(exchange)
        elif exchange.path in SCHEMAS:
            await send_file(exchange, schema_at(exchange.path))
        else:
            await self._show(exchange)

    def _why_rejected(self, exchange: HttpExchange) -> str | None:
        """Return why the request's `Host` or `Origin` header is rejected; None if both are accepted."""
        host, origin = exchange.headers.get("host", ""), exchange.headers.get("origin")
        named = HOST.fullmatch(host)
        if named is None or not self._settings.knows(named[1]):
            return f"{host[:80]!r} is not a name of this server; --web-name adds names"
        if origin is None or origin in self._settings.origins or origin.partition("://")[2].lower() == host.lower():
            return None
        return f"a page of {origin[:80]!r} may not call this service; --web-origin allows it"

    # -- calls ---------------------------------------------------------------------------------------

    async def _call(self, exchange: HttpExchange, method: Method) -> None:
        """Answer a call of the Connect protocol."""
        kind = exchange.headers.get("content-type", "").partition(";")[0].strip().lower()
        codec = CODECS.get(kind)
        if codec is None or codec.streams != method.streams:
            accepted = ACCEPTED[method.streams]
            answers = "streams its answer" if method.streams else "has one answer"
            error = UnreadableRequest(f"this method {answers}; must be one of {accepted}", "content-type")
            await reject(exchange, 415, error, [("accept-post", accepted)])
            return
        try:
            timeout, headers = read_timeout(exchange.headers), passed_on(exchange.headers)
            payload = codec.payload(await exchange.body(), exchange.headers)
        except ConnectError as unreadable:
            await send_error(exchange, codec, unreadable)
            return
        call = BrowserCall(method, payload, headers, timeout, exchange.caller)
        await exchange.while_there(self._forward(exchange, codec, call))

    async def _forward(self, exchange: HttpExchange, codec: Codec, call: BrowserCall) -> None:
        """Decode the request message, then answer the call."""
        try:
            message = await self._reader.read(codec, call.method, call.message, call.address)
        except ConnectError as error:
            await send_error(exchange, codec, error)
            return
        answer = self._stream if call.method.streams else self._unary
        await answer(exchange, codec, replace(call, message=message))

    async def _unary(self, exchange: HttpExchange, codec: Codec, call: BrowserCall) -> None:
        try:
            answer, before, trailers = await self._bridge.unary(call)
            data = await codec.response(call.method, answer)
        except ConnectError as error:
            await send_error(exchange, codec, error)
            return
        headers = [(name, value) for name, value in before if name == LANGUAGE]
        data, encoding = await compressed(exchange, data)
        await exchange.answer(200, codec.content_type, data, [*headers, *encoding, *as_headers(trailers)])

    async def _stream(self, exchange: HttpExchange, codec: Codec, call: BrowserCall) -> None:
        await exchange.start(200, codec.content_type)
        parts = self._bridge.stream(call)
        try:
            async for part in parts:
                await exchange.send(await codec.response(call.method, part), more=True)
        except ConnectError as error:
            tell_user(exchange, error)
            await exchange.send(ending(error))
        else:
            await exchange.send(ending())
        finally:
            await parts.aclose()

    # -- health and the page -------------------------------------------------------------------------

    async def _tell_health(self, exchange: HttpExchange) -> None:
        """Report the server's health in the form that load balancers expect."""
        status = await health(self._bridge)
        headers = [("cache-control", "no-store"), READABLE]
        await exchange.say(200 if status == SERVING else 503, f"{status}\n", headers)

    async def _show(self, exchange: HttpExchange) -> None:
        """Serve a file of the page."""
        file = self._page.get(exchange.path)
        if file is not None:
            await send_file(exchange, file)
        elif exchange.path == "/" or not self._page:
            await exchange.say(503, NO_PAGE)
        else:
            await reject(exchange, 404, OwnError(Reason.NO_SUCH_METHOD, f"there is no file {exchange.path[:80]!r}"))


@cache
def schema_at(path: str) -> File:
    """Return a schema as a file, compressed once."""
    return read_file(path, json.dumps(SCHEMAS[path]()).encode())


async def send_file(exchange: HttpExchange, file: File) -> None:
    """Send a file, compressed if the client accepts it."""
    headers = [("cache-control", file.cache), ("vary", "accept-encoding")]
    if exchange.takes_gzip:
        await exchange.answer(200, file.content_type, file.packed, [*headers, GZIPPED])
    else:
        await exchange.answer(200, file.content_type, file.plain, headers)


async def compressed(exchange: HttpExchange, data: bytes) -> tuple[bytes, Metadata]:
    """Return the body of an answer, compressed if that is worth it and the client accepts it, and its headers.

    Compression reveals no secret: a browser adds none to a call of a foreign page (BREACH attack, 2013).
    """
    if len(data) < SMALL or not exchange.takes_gzip:
        return data, []
    packed = gzip.compress(data, FAST) if len(data) <= LARGE else await asyncio.to_thread(gzip.compress, data, FAST)
    return packed, [GZIPPED]


def tell_user(exchange: HttpExchange, error: ConnectError) -> None:
    """Add a message in the user's language to an error of the gateway; errors of the server have one already."""
    if isinstance(error, OwnError) and (asked := exchange.headers.get(LANGUAGES)) is not None:
        error.localize(asked)


async def send_error(exchange: HttpExchange, codec: Codec, error: ConnectError) -> None:
    """Send an error: with its HTTP status, or in the envelope that ends a stream."""
    if codec.streams:
        tell_user(exchange, error)
        await exchange.answer(200, codec.content_type, ending(error))
    else:
        await reject(exchange, error.status, error, as_headers(error.metadata))


async def reject(exchange: HttpExchange, status: int, error: ConnectError, headers: Headers = ()) -> None:
    """Send an error with an HTTP status."""
    tell_user(exchange, error)
    await exchange.answer(status, "application/json", error.body(), headers)


def as_headers(trailers: Metadata) -> Metadata:
    """Return trailing metadata as headers of a unary response."""
    return [(f"trailer-{name}", value) for name, value in trailers]


def ending(error: ConnectError | None = None) -> bytes:
    """Return the envelope that ends a stream."""
    fields: dict[str, Any] = {}
    if error is not None:
        metadata: dict[str, list[str]] = defaultdict(list)
        for name, value in error.metadata:
            metadata[name].append(value)
        fields = {"error": error.fields()} | ({"metadata": metadata} if metadata else {})
    return wrapped(json.dumps(fields).encode(), END)


def read_timeout(headers: Mapping[str, str]) -> float | None:
    """Return the timeout of a call in seconds; None if the client sets none. Raises ConnectError."""
    text = headers.get("connect-timeout-ms")
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,10}", text):
        raise UnreadableRequest(f"{text[:20]!r} is not a number of milliseconds", "connect-timeout-ms")
    return int(text) / 1000


def passed_on(headers: Mapping[str, str]) -> Mapping[str, str]:
    """Return the headers to forward to the server. Raises ConnectError for headers that gRPC cannot carry."""
    found = {name: headers[name] for name in PASSED_ON if name in headers}
    for name, value in found.items():
        if not (value.isascii() and value.isprintable()):
            raise UnreadableRequest("has characters that cannot be forwarded", name)
    if sum(map(len, found.values())) > MAX_PASSED:
        longest = max(found, key=lambda name: len(found[name]))
        raise UnreadableRequest(f"is too long; all that is forwarded may have {MAX_PASSED} characters", longest)
    return found


async def health(bridge: Bridge) -> str:
    """Return the server's status by its gRPC name, or the error message if it cannot be reached."""
    try:
        answer, _, _ = await bridge.unary(BrowserCall(CHECK, b"", {}, SECONDS, ""))
    except ConnectError as error:
        return str(error)
    name: str = HealthCheckResponse.ServingStatus.Name(HealthCheckResponse.FromString(answer).status)
    return name
