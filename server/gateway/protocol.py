"""The gateway's HTTP/1.1 protocol: limits what a client may send and how long the gateway waits for it."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from clerestory.server.gateway.errors import UnreadableRequest
from clerestory.server.gateway.http import packed
from clerestory.server.hardening.connection_slots import ConnectionSlots

MAX_HEAD_BYTES = 16 * 1024  # of a request
MAX_LINES = 100  # in a request head
MAX_PARTS = 256  # in which a body may arrive; 64 KiB in the smallest network segments need half as many
READ_BYTES = 16 * 1024  # parsed at once
WRITE_BYTES = 8 * 1024  # buffered for a slow client before the response pauses
HEADER_SECONDS = 10.0  # in which a request head must arrive
CLOSE_SECONDS = 5.0  # that a client has to receive the rest of a response
STALL_SECONDS = 30.0  # without progress, after which the gateway drops a slow client
HEAD_TOO_LONG = 431  # status (RFC 6585)
ANY_ORIGIN = "access-control-allow-origin", "*"
URL = re.compile(rb"https?://([^/?#]*)", re.IGNORECASE)  # the scheme and authority of a URL
CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
ORIGIN = re.compile(rb"\r\norigin:[ \t]*([\x21-\x7e]*)[ \t]*\r\n", re.IGNORECASE)

Sharing = Callable[[str], list[tuple[str, str]]]  # returns the headers that let a page of an origin read a response


class BadHttpRequest(h11.RemoteProtocolError):
    """A request is rejected before it is handled; `error_status_hint` is the status and the text is the reason."""


class RequestParser(h11.Connection):
    """The request parser of a connection, with limits on the cost of a request."""

    def __init__(self) -> None:
        super().__init__(h11.SERVER, MAX_HEAD_BYTES)
        self._parts = 0
        self.bodiless = False  # whether the response has no body, because the request is a HEAD
        self.head = b""  # of the request, and possibly more
        self.error: h11.RemoteProtocolError | None = None

    def next_event(self) -> Any:
        """Return the next event, as h11 does. Raises h11.RemoteProtocolError."""
        try:
            if self.their_state is h11.IDLE:
                self.bodiless, self.head = False, self.trailing_data[0]
                check_head(self.head)
            event = super().next_event()
            self._check(event)
        except h11.RemoteProtocolError as error:
            self.error = error
            raise
        return in_origin_form(event) if isinstance(event, h11.Request) else event

    def _check(self, event: Any) -> None:
        if isinstance(event, h11.Request):
            self._parts, self.bodiless = 0, event.method == b"HEAD"
            check_request(event)
        elif isinstance(event, h11.Data):
            self._parts += 1
            if self._parts > MAX_PARTS:
                raise BadHttpRequest(f"the body came in more than {MAX_PARTS} parts", 400)


def check_head(received: bytes) -> None:
    """Raise BadHttpRequest if the request head is too long. The head may be incomplete."""
    end = received.find(b"\r\n\r\n")
    if max(end, 0) > MAX_HEAD_BYTES or (end < 0 and len(received) > MAX_HEAD_BYTES):
        raise BadHttpRequest(f"the head of the request has more than {MAX_HEAD_BYTES >> 10} KiB", HEAD_TOO_LONG)
    if received.count(b"\n", 0, end if end >= 0 else len(received)) > MAX_LINES:
        raise BadHttpRequest(f"the head of the request has more than {MAX_LINES} lines", HEAD_TOO_LONG)


def check_request(request: h11.Request) -> None:
    """Raise BadHttpRequest for a request head that two parsers could interpret differently (request smuggling)."""
    names = {name for name, _ in request.headers}
    if b"transfer-encoding" in names and (b"content-length" in names or request.http_version < b"1.1"):
        raise BadHttpRequest("a request must have one of Content-Length and Transfer-Encoding, not both", 400)
    for name, value in request.headers:
        if CONTROL.search(value):
            raise BadHttpRequest(f"the header {name.decode()} has a control character", 400)


def origin_of(head: bytes) -> str:
    """Return the origin that the head of a request names, which may be incomplete or malformed; "" if it names none."""
    found = ORIGIN.search(head.partition(b"\r\n\r\n")[0] + b"\r\n")
    return found[1].decode() if found else ""


def in_origin_form(request: h11.Request) -> h11.Request:
    """Return a request with a path as its target; the host of a URL replaces the `Host` header.

    Clients that use the gateway as a proxy send URLs (RFC 9112, 3.2.2).
    """
    url = URL.match(request.target)
    if url is None:
        return request
    headers = [(name, value) for name, value in request.headers if name != b"host"]
    path = request.target[url.end() :]
    return h11.Request(
        method=request.method,
        target=path if path.startswith(b"/") else b"/" + path,
        headers=[(b"host", url[1]), *headers],
        http_version=request.http_version,
    )


class ClosingTransport:
    """A transport that closes only after the client has received the response, even if the client is still sending.

    Closing a socket with unread data resets the connection, and the response is lost. So this transport ends the
    response first and discards incoming data. After CLOSE_SECONDS it closes the connection in any case.

    Args:
        transport: the connection's transport.
        requests: the connection's parser.
        on_closing: called when the connection begins to close.
    """

    def __init__(self, transport: asyncio.Transport, requests: RequestParser, on_closing: Callable[[], None]) -> None:
        self._transport, self._requests, self._on_closing = transport, requests, on_closing
        self._end: asyncio.TimerHandle | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Write, unless the connection is closed; asyncio would log every attempt."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def is_closing(self) -> bool:
        """Return whether the transport accepts no more reads or writes."""
        return self._end is not None or self._transport.is_closing()

    def close(self) -> None:
        """End the response, then close the connection."""
        if self.is_closing():
            return
        self._end = asyncio.get_running_loop().call_later(CLOSE_SECONDS, self._transport.abort)
        if self._requests.trailing_data[0] or self._requests.their_state in (h11.SEND_BODY, h11.ERROR):
            self._transport.resume_reading()
            self._transport.write_eof()
        else:
            self._transport.close()
        self._on_closing()

    def closed(self) -> None:
        """Record that the connection has closed."""
        if self._end is not None:
            self._end.cancel()


class Protocol(H11Protocol):
    """One HTTP/1.1 connection.

    Attributes:
        address: the client's network, as returned by `network_of`.
        size: bytes of its request in memory.

    Args:
        address: sets the attribute.
        slots: the limits on connections, which this one counts against.
        sharing: makes headers for pages of other sites, which errors have too.
        uvicorn: the arguments of `H11Protocol`.
    """

    conn: RequestParser
    transport: Any

    def __init__(self, address: str, slots: ConnectionSlots, sharing: Sharing, **uvicorn: Any) -> None:
        super().__init__(**uvicorn)
        self.conn = RequestParser()
        self.address, self.size, self._slots, self._sharing = address, 0, slots, sharing
        self._waiting: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._unwanted = False
        slots.asks(self)

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request."""
        transport.max_size = READ_BYTES
        transport.set_write_buffer_limits(WRITE_BYTES)
        super().connection_made(ClosingTransport(transport, self.conn, self._look))  # type: ignore[arg-type]
        self._wait()
        if self._unwanted:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Process incoming data, unless the connection is closing."""
        if not self.transport.is_closing():
            self._slots.fills(self, self.size + len(data))
            super().data_received(data)
            self._look()

    def on_response_complete(self) -> None:
        """Wait for the next request; close the connection if the body of the last one is unread."""
        unread = self.conn.their_state is h11.SEND_BODY
        super().on_response_complete()  # may begin a request that has already arrived
        if unread:
            self.transport.close()
        self._slots.fills(self, len(self.conn.trailing_data[0]))
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the connection's slot."""
        cancel(self._waiting, self._stalled)
        self._slots.leave(self)
        self.transport.closed()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Close after the current response, if there is one."""
        if self.transport.is_closing():
            self.leave()
        else:
            super().shutdown()

    def leave(self) -> None:
        """Close immediately, even before the connection is established."""
        self._unwanted = True
        if self.transport is not None:
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Reject a malformed request with its status and reason, and close."""
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._say(self.conn.error, msg)
        self.transport.close()

    def _say(self, error: h11.RemoteProtocolError | None, otherwise: str) -> None:
        """Send an error response."""
        text = UnreadableRequest(str(error) if isinstance(error, BadHttpRequest) else otherwise).body()
        status = error.error_status_hint if error is not None else 400
        own = [("content-length", str(len(text))), ("connection", "close"), *self._shared(status)]
        headers = packed("application/json", own)
        body = () if self.conn.bodiless else (h11.Data(data=text),)
        for event in (h11.Response(status_code=status, headers=headers), *body, h11.EndOfMessage()):
            self.transport.write(self.conn.send(event))

    def _shared(self, status: int) -> list[tuple[str, str]]:
        """Return the headers that let a page of another site read an error.

        If the head was too long for its origin to have arrived, any page may read that it was, which is no secret.
        """
        origin = origin_of(self.conn.head)
        headers = self._sharing(origin)
        return [ANY_ORIGIN] if headers and not origin and status == HEAD_TOO_LONG else headers

    def pause_writing(self) -> None:
        """Pause for a slow client, for at most STALL_SECONDS."""
        super().pause_writing()
        self._look()
        self._stalled = self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Resume writing."""
        cancel(self._stalled)
        super().resume_writing()
        self._look()

    def _look(self) -> None:
        """Update whether the connection waits for its client or for the gateway."""
        state, begun = self.conn.their_state, bool(self.conn.trailing_data[0])
        if state is h11.IDLE and begun and not self.transport.is_closing():
            self._wait()
            return
        self._wait_no_more()
        if self.transport.is_closing() or self.flow.write_paused or state is h11.SEND_BODY:
            self._slots.asks(self)
        elif state is h11.IDLE:
            self._slots.rests(self)
        else:
            self._slots.works(self)

    def _wait(self) -> None:
        """Wait for the rest of a request head."""
        self._slots.asks(self)
        if self._waiting is None:
            self._waiting = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _wait_no_more(self) -> None:
        cancel(self._waiting)
        self._waiting = None


def cancel(*timers: asyncio.TimerHandle | None) -> None:
    """Stop timers."""
    for timer in timers:
        if timer is not None:
            timer.cancel()
