"""Calls from browsers, forwarded to the server unchanged."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc

from clerestory.clients.connection import Connection, is_local
from clerestory.door.errors import ConnectError, NamesDenied, OwnError, TooManyStreams, error_of, texts
from clerestory.door.methods import Method
from clerestory.metadata import AUTHORIZATION, LANGUAGES, ON_BEHALF, REQUEST_ID, SEAT, TRACE_PARENT, VIA
from clerestory.refusals import Reason

PASSED_ON = (AUTHORIZATION, SEAT, REQUEST_ID, LANGUAGES, TRACE_PARENT)  # headers forwarded as metadata
MAX_STREAMS = 100  # at once: a connection to a server has 128 calls, and others need some
MAX_STREAMS_INSIDE = 200  # to a server in this process, whose connection has 4096
SHARES = 2  # one address, which many people may share, may have one of so many parts of the streams
MAX_STREAMS_EACH = 32  # of one seat, or of all calls without a seat, of one token at an address
SERVER_GONE = "the server cannot be reached"
TIME_OVER = "the deadline of the call came before the answer"

logger = logging.getLogger(__name__)

Metadata = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class BrowserCall:
    """A call from a browser.

    Attributes:
        method: which.
        message: its request, as bytes.
        headers: those of PASSED_ON that it has.
        timeout: seconds that it may take; None for no limit.
        address: where it comes from, as `network_of` writes it.
    """

    method: Method
    message: bytes
    headers: Mapping[str, str]
    timeout: float | None
    address: str


@dataclass(eq=False, slots=True)
class Route:
    """A channel to a server, and what goes over it.

    Attributes:
        channel: untyped: messages stay bytes.
        metadata: added to every call, such as the door's own token.
        calls: those under way.
    """

    channel: Any
    metadata: Metadata
    calls: set[grpc.aio.Call] = field(default_factory=set)


def route_to(server: Connection) -> Route:
    """Return a new channel to a server."""
    return Route(server.channel(grpc.aio), list(server.metadata))


class Bridge:
    """Forwards calls to a server, to which it has a channel until it is closed.

    Args:
        server: how it is reached; if it seems to be on this machine, it lets the door name its callers.
        streams: that may be open at once.
    """

    def __init__(self, server: Connection, streams: int) -> None:
        self._near, self._most = is_local(server.target), streams
        self._streams: Counter[Hashable] = Counter()
        self._route = route_to(server)
        self._routes = {self._route}  # whose channels are open
        self._closing: set[asyncio.Task[None]] = set()
        self._finished = False

    def use(self, server: Connection) -> None:
        """Begin calls by another connection; those under way go on, and when they have ended theirs is closed."""
        before, self._route = self._route, route_to(server)
        self._routes.add(self._route)
        self._drop(before)

    def _drop(self, route: Route) -> None:
        """Close a channel over which nothing goes any more."""
        if route is self._route or route.calls or route not in self._routes:
            return
        self._routes.remove(route)
        task = asyncio.create_task(route.channel.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def aclose(self) -> None:
        """Close all channels."""
        routes, self._routes = self._routes, set()
        await asyncio.gather(*self._closing, *(route.channel.close() for route in routes))

    async def unary(self, call: BrowserCall) -> tuple[bytes, Metadata, Metadata]:
        """Return the answer, its initial and its trailing metadata. Raises ConnectError."""
        try:
            return await self._ask(call)
        except NamesDenied:
            self._name_nobody()
            return await self._ask(call)

    async def _ask(self, call: BrowserCall) -> tuple[bytes, Metadata, Metadata]:
        with self._passed(call) as passed:
            answer, before, after = await passed, await passed.initial_metadata(), await passed.trailing_metadata()
            return answer, texts(list(before)), texts(list(after))

    async def stream(self, call: BrowserCall) -> AsyncGenerator[bytes, None]:
        """Yield the parts of an answer, each fetched after the previous one was consumed. Raises ConnectError."""
        with self._counted(call):
            begun = False
            try:
                with self._passed(call) as passed:
                    async for part in passed:
                        begun = True
                        yield part
            except NamesDenied:
                if begun:  # its token may name nobody any more
                    raise
                self._name_nobody()
                with self._passed(call) as passed:
                    async for part in passed:
                        yield part

    def _name_nobody(self) -> None:
        """Name no callers from now on: the server sees the door on another machine, such as a bridge of containers."""
        if self._near:
            logger.warning("the server sees all browsers as one caller: to it, the door is on another machine")
        self._near = False

    def finish(self) -> None:
        """End all calls, as if the server were gone, and begin no more."""
        self._finished = True
        for route in self._routes:
            while route.calls:
                route.calls.pop().cancel()

    @contextmanager
    def _passed(self, call: BrowserCall) -> Iterator[Any]:
        """Have a call at the server during the block. Raises ConnectError for its error."""
        if self._finished:
            raise ConnectError("unavailable", SERVER_GONE)
        route = self._route
        kind = route.channel.unary_stream if call.method.streams else route.channel.unary_unary
        passed = kind(call.method.path)(call.message, timeout=call.timeout, metadata=self._sent(call, route.metadata))
        route.calls.add(passed)
        try:
            yield passed
        except grpc.aio.AioRpcError as error:
            raise connect_error(error) from None
        except asyncio.CancelledError:
            if passed in route.calls:  # the caller left; else the door finishes
                raise
            raise ConnectError("unavailable", SERVER_GONE) from None
        finally:
            route.calls.discard(passed)
            passed.cancel()
            self._drop(route)

    def _sent(self, call: BrowserCall, own: Metadata) -> Metadata:
        """Return the metadata of a call: with the caller's token, and its address, which counts without a valid one."""
        names = dict(own)
        passed = [(name, value) for name, value in call.headers.items() if name not in names]
        sent = [*own, *passed, VIA]
        if self._near and call.address:
            sent.append((ON_BEHALF, call.address.partition("/")[0]))
        return sent

    @contextmanager
    def _counted(self, call: BrowserCall) -> Iterator[None]:
        """Count a stream while it is open. Raises ConnectError if there are too many."""
        limits: dict[Hashable, int] = {
            "all": self._most,
            call.address: self._most // SHARES,
            (call.address, call.headers.get(AUTHORIZATION, ""), call.headers.get(SEAT, "")): MAX_STREAMS_EACH,
        }
        if any(self._streams[whose] >= most for whose, most in limits.items()):
            raise TooManyStreams
        self._streams.update(limits.keys())
        try:
            yield
        finally:
            self._streams.subtract(limits.keys())
            self._streams += Counter()  # drop callers without streams


def connect_error(error: grpc.aio.AioRpcError) -> ConnectError:
    """Return the error for the browser; a lost connection is described in our words, not in gRPC's."""
    found = error_of(error)
    if found.code == "unavailable" and not found.details:
        logger.warning("the server cannot be reached: %s", error.details())
        return ConnectError("unavailable", SERVER_GONE)
    if found.code == "deadline_exceeded" and not found.details:  # as gRPC ends it
        return OwnError(Reason.OUT_OF_TIME, TIME_OVER)
    return found
