"""HTTP over ASGI: reads a request body of limited size, and sends the response."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, MutableMapping
from contextlib import suppress
from typing import Any

from clerestory.addresses import network_of
from clerestory.i18n.languages import weighted
from clerestory.server.gateway.config import MAX_BODY_BYTES
from clerestory.server.gateway.errors import OwnError, UnreadableRequest
from clerestory.service_errors import Reason

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = Iterable[tuple[str, str]]

BODY_SECONDS = 10.0  # in which a body must arrive
PIECE = 8 * 1024  # bytes of a response sent at once, which limits how much of it is buffered for a slow client
SAFETY = (
    ("content-security-policy", "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
)


def caller_of(scope: Scope) -> str:
    """Return the network that a request comes from; "" if it is unknown."""
    host, _ = scope.get("client") or ("", 0)
    with suppress(ValueError):
        return network_of(host)
    return ""


def packed(content_type: str, headers: Headers) -> list[tuple[bytes, bytes]]:
    """Return the headers of a response in ASGI form, with the security headers that it does not set itself."""
    own = [("content-type", content_type), *headers]
    lines = [*own, *(safe for safe in SAFETY if safe[0] not in {name for name, _ in own})]
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in lines]


def require_short(size: int) -> None:
    """Raise UnreadableRequest if a body of this many bytes is too long."""
    if size > MAX_BODY_BYTES:
        raise UnreadableRequest(f"the body has more than {MAX_BODY_BYTES >> 10} KiB")


class CallerLeft(Exception):
    """The connection is closed."""


class HttpExchange:
    """One request and its response.

    Attributes:
        method: the HTTP method.
        path: the decoded path, without the query.
        headers: by name in lower case; the last one of a repeated name.
        caller: the client's network, as returned by `network_of`.
        also: headers that every response to it has.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        self.caller = caller_of(scope)
        self.also: list[tuple[str, str]] = []
        self._receive, self._send = receive, send
        self._unread = "transfer-encoding" in self.headers or self.headers.get("content-length", "0") != "0"

    async def body(self) -> bytes:
        """Return the body. Raises OwnError if it is too long or too slow, CallerLeft if the connection closes."""
        found, more = bytearray(), True
        require_short(int(self.headers.get("content-length", "0")))
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while more:
                    part = await self._receive()
                    if part["type"] == "http.disconnect":
                        raise CallerLeft
                    found += part.get("body", b"")
                    require_short(len(found))
                    more = part.get("more_body", False)
        except TimeoutError:
            raise OwnError(Reason.SLOW_REQUEST, f"the body did not arrive within {BODY_SECONDS:g} s") from None
        self._unread = False
        return bytes(found)

    async def while_there(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine, and cancel it if the client disconnects first. The body must have been read."""
        tasks = {asyncio.ensure_future(work), asyncio.ensure_future(self._gone())}
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def start(self, status: int, content_type: str, headers: Headers = ()) -> None:
        """Send the status line and the headers. If the body is unread, the connection closes after the response."""
        lines = packed(content_type, [*headers, *self.also, *([("connection", "close")] if self._unread else [])])
        await self._send({"type": "http.response.start", "status": status, "headers": lines})

    async def send(self, data: bytes, *, more: bool = False) -> None:
        """Send a part of the response body; it is the last part unless `more` is set."""
        await self._send({"type": "http.response.body", "body": data, "more_body": more})

    @property
    def takes_gzip(self) -> bool:
        """Whether the client accepts a response compressed with gzip."""
        return bool(dict(weighted(self.headers.get("accept-encoding", ""))).get("gzip"))

    async def answer(self, status: int, content_type: str, data: bytes, headers: Headers = ()) -> None:
        """Send a complete response."""
        await self.start(status, content_type, [("content-length", str(len(data))), *headers])
        shown = b"" if self.method == "HEAD" else data
        for begin in range(0, len(shown) - PIECE, PIECE):
            await self.send(shown[begin : begin + PIECE], more=True)
        await self.send(shown[(len(shown) - 1) // PIECE * PIECE :] if shown else b"")

    async def say(self, status: int, text: str, headers: Headers = ()) -> None:
        """Send a response in plain text."""
        await self.answer(status, "text/plain; charset=utf-8", text.encode(), headers)
