"""Forwards calls from browsers to the gRPC server, without decoding their messages."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc

from clerestory.clients.connection import Connection, is_local
from clerestory.metadata import AUTHORIZATION, LANGUAGES, ON_BEHALF, REQUEST_ID, SEAT, TRACE_PARENT, VIA
from clerestory.server.gateway.errors import ConnectError, NamesDenied, OwnError, TooManyOpen, error_of, texts
from clerestory.server.gateway.methods import Method
from clerestory.service_errors import Reason

PASSED_ON = (AUTHORIZATION, SEAT, REQUEST_ID, LANGUAGES, TRACE_PARENT)  # headers forwarded as metadata
MAX_STREAMS = 100  # open at once: a gRPC connection allows 128 calls, and unary calls need some of them
MAX_STREAMS_INSIDE = 200  # open at once to a server in this process, whose connection allows 4096
SHARES = 2  # one address, which many people may share, can hold 1/SHARES of the streams
MAX_STREAMS_EACH = 32  # per seat; calls without a seat count together per token and address
SERVER_GONE = "the server cannot be reached"
TIME_OVER = "the deadline of the call came before the answer"

logger = logging.getLogger(__name__)

Metadata = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class BrowserCall:
    """A call from a browser.

    Attributes:
        method: the method.
        message: the serialized request.
        headers: the headers from PASSED_ON that the request has.
        timeout: seconds until the deadline; None for no limit.
        address: the client's network, as returned by `network_of`.
    """

    method: Method
    message: bytes
    headers: Mapping[str, str]
    timeout: float | None
    address: str


@dataclass(eq=False, slots=True)
class Route:
    """A channel to a server, and the calls on it.

    Attributes:
        channel: untyped, because messages stay bytes.
        metadata: added to every call, such as the gateway's own token.
        calls: the calls in progress.
    """

    channel: Any
    metadata: Metadata
    calls: set[grpc.aio.Call] = field(default_factory=set)


def route_to(server: Connection) -> Route:
    """Return a new channel to a server."""
    return Route(server.channel(grpc.aio), list(server.metadata))


class Bridge:
    """Forwards calls to a server over a channel that stays open until `aclose`.

    Args:
        server: the connection to use; a server on this machine lets the gateway identify its callers by address.
        streams: maximum number of open streams.
    """

    def __init__(self, server: Connection, streams: int) -> None:
        self._near, self._most = is_local(server.target), streams
        self._streams: Counter[Hashable] = Counter()
        self._route = route_to(server)
        self._routes = {self._route}  # those with an open channel
        self._closing: set[asyncio.Task[None]] = set()
        self._finished = False

    def use(self, server: Connection) -> None:
        """Switch new calls to another connection; the old one closes when its calls have ended."""
        before, self._route = self._route, route_to(server)
        self._routes.add(self._route)
        self._drop(before)

    def _drop(self, route: Route) -> None:
        """Close a channel that has been replaced, once it has no calls."""
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
        """Return the response, its initial metadata and its trailing metadata. Raises ConnectError."""
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
        """Yield the messages of a response, fetching each after the previous one is consumed. Raises ConnectError."""
        with self._counted(call):
            begun = False
            try:
                with self._passed(call) as passed:
                    async for part in passed:
                        begun = True
                        yield part
            except NamesDenied:
                if begun:  # the token has lost its right to identify callers
                    raise
                self._name_nobody()
                with self._passed(call) as passed:
                    async for part in passed:
                        yield part

    def _name_nobody(self) -> None:
        """Stop identifying callers: the server sees the gateway on another machine, such as a container bridge."""
        if self._near:
            logger.warning("the server sees all browsers as one caller: to it, the gateway is on another machine")
        self._near = False

    def finish(self) -> None:
        """Cancel all calls as if the server were gone, and reject new ones."""
        self._finished = True
        for route in self._routes:
            while route.calls:
                route.calls.pop().cancel()

    @contextmanager
    def _passed(self, call: BrowserCall) -> Iterator[Any]:
        """Run a call on the server during the block. Raises ConnectError for its error."""
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
            if passed in route.calls:  # the client left; otherwise the gateway is finishing
                raise
            raise ConnectError("unavailable", SERVER_GONE) from None
        finally:
            route.calls.discard(passed)
            passed.cancel()
            self._drop(route)

    def _sent(self, call: BrowserCall, own: Metadata) -> Metadata:
        """Return the metadata of a call, with the caller's token and the address to use if that token is not valid."""
        names = dict(own)
        passed = [(name, value) for name, value in call.headers.items() if name not in names]
        sent = [*own, *passed, VIA]
        if self._near and call.address:
            sent.append((ON_BEHALF, call.address.partition("/")[0]))
        return sent

    @contextmanager
    def _counted(self, call: BrowserCall) -> Iterator[None]:
        """Count a stream while it is open. Raises TooManyOpen if a limit is reached."""
        limits: dict[Hashable, int] = {
            "all": self._most,
            call.address: self._most // SHARES,
            (call.address, call.headers.get(AUTHORIZATION, ""), call.headers.get(SEAT, "")): MAX_STREAMS_EACH,
        }
        if any(self._streams[whose] >= most for whose, most in limits.items()):
            raise TooManyOpen("streams")
        self._streams.update(limits.keys())
        try:
            yield
        finally:
            self._streams.subtract(limits.keys())
            self._streams += Counter()  # drop callers without streams


def connect_error(error: grpc.aio.AioRpcError) -> ConnectError:
    """Return the error for the browser; hide gRPC's wording of a lost connection."""
    found = error_of(error)
    if found.code == "unavailable" and not found.details:
        logger.warning("the server cannot be reached: %s", error.details())
        return ConnectError("unavailable", SERVER_GONE)
    if found.code == "deadline_exceeded" and not found.details:  # gRPC's own deadline error
        return OwnError(Reason.OUT_OF_TIME, TIME_OVER)
    return found
