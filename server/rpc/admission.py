"""Admits connections, and calls before their handlers run: checks tokens, and limits calls and incomplete messages."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from clerestory.server.config import MAX_MESSAGE_BYTES
from clerestory.server.hardening.in_progress import InProgress
from clerestory.server.hardening.newcomers import Newcomers
from clerestory.server.hardening.pending_reads import Context, PendingReads
from clerestory.server.rpc.callers import Callers, address_of
from clerestory.server.rpc.chunks import write_each
from clerestory.server.rpc.interceptor import Call, CallInterceptor
from clerestory.server.rpc.security import Tokens, require_token
from clerestory.service_errors import Reason, ServiceError, raise_error
from clerestory.spans import part

OURS = "/clerestory."  # prefix of methods whose calls are logged and counted
OPEN = "/grpc.health.v1.Health/"  # needs no token; has its own limit, so that it works under overload
MOST_CALLS = 1536  # in progress, for all callers; one caller may hold half of what the others leave free
MOST_CHECKS = 256  # health checks in progress
CROWD = 64  # incomplete requests at once that count as a burst, after which memory is trimmed
STREAMS = 128  # calls of one connection; clients queue any more
STREAMS_INSIDE = 4096  # for a client in this process, which has its own limits
PENDING = 2048  # calls that the event loop has not accepted yet; gRPC silently drops any more
WINDOW = 4 * 1024  # bytes; most requests are smaller
MAX_METADATA_BYTES = 8 * 1024  # per call
OPERATORS = 32  # connections of the admin port, health checks among them
STREAMS_OF_OPERATOR = 8  # calls of one of these connections
OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),  # a port in use is an error, not a second server behind it
    ("grpc.http.overload_protection", 0),  # would count calls that are over, and reject new ones without a reason
    # The data buffered per call before it is read: the flow-control window, and the chunk that it arrived in.
    ("grpc.http2.lookahead_bytes", WINDOW),
    ("grpc.http2.bdp_probe", 0),  # would widen the window under load
    ("grpc.experimental.tcp_read_chunk_size", WINDOW),
    ("grpc.experimental.tcp_max_read_chunk_size", WINDOW),
    ("grpc.server.max_pending_requests", PENDING),
    ("grpc.server.max_pending_requests_hard_limit", PENDING),
    ("grpc.max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.absolute_max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.server_handshake_timeout_ms", 5_000),  # after which a silent connection is closed
    ("grpc.keepalive_time_ms", 20_000),  # detects a vanished client within half a minute
    ("grpc.keepalive_timeout_ms", 10_000),  # until the other machine acknowledges sent data
    ("grpc.http2.ping_timeout_ms", 10_000),  # until the client acknowledges the ping
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),  # allows pings every 10 s on an idle call
)

Admit = Callable[[Context], object]
MethodHandler = Any  # a handler of gRPC, whose type stubs lack handlers that read messages themselves


@dataclass(frozen=True, slots=True)
class GatedMethod:
    """A method behind the gate.

    Attributes:
        handler: takes the request, or an iterator of requests, and the context.
        decode: parses a request.
        converses: whether the request is a stream.
        streams: whether the response is a stream.
        health: whether the method belongs to the health service.
        admit: admits a call before its message is read, or raises an error; None for no check.
    """

    handler: Callable[[Any, Context], Any]
    decode: Callable[[bytes], Any]
    converses: bool
    streams: bool
    health: bool
    admit: Admit | None


class AdmissionHandler(grpc.GenericRpcHandler):
    """The generic handler of all methods; services are registered with it in place of the server.

    It registers every method as client-streaming, so that it reads the message itself after a call is admitted. Until
    then, the flow-control window limits how much a client can send. Clients see no difference.

    Args:
        interceptor: wraps every call.
        tokens: the accepted tokens; None if none are required.
        callers: identifies the caller of a call.
        most: maximum number of calls in progress.
        admit: checks to run before the message of a call is read, by method path; handlers find the result in the
            `admission` of the context.
        arrivals: reads the messages of calls.

    Attributes:
        newcomers: the streams that are about to begin.
    """

    def __init__(
        self,
        interceptor: CallInterceptor,
        tokens: Tokens | None,
        callers: Callers,
        most: int,
        admit: Mapping[str, Admit],
        arrivals: PendingReads,
    ) -> None:
        self._interceptor, self._tokens, self._callers, self._admit = interceptor, tokens, callers, admit
        self._arrivals, self._calls, self._checks = arrivals, InProgress(most), InProgress(MOST_CHECKS)
        self.newcomers = Newcomers()
        self._watches, self._finished = set[asyncio.Timeout](), False
        self._methods: dict[str, MethodHandler] = {}
        self._unknown: MethodHandler = grpc.stream_unary_rpc_method_handler(
            partial(self._interceptor.answer, None, self._find_nothing)
        )

    # -- as a server, and as the handler of all methods ------------------------------------------------

    def add_generic_rpc_handlers(self, handlers: Sequence[grpc.GenericRpcHandler]) -> None:
        """Do nothing, because stubs also register each method by name."""

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, MethodHandler]) -> None:
        """Add the methods of a service."""
        for name, handler in handlers.items():
            path = f"/{service}/{name}"
            self._methods[path] = self._behind(path, handler)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> MethodHandler:
        """Return the handler of a method; for an unknown method, the one that rejects it."""
        self.newcomers.note()
        return self._methods.get(handler_call_details.method, self._unknown)

    def _behind(self, path: str, handler: MethodHandler) -> MethodHandler:
        """Return the handler that admits calls of a method."""
        converses, streams = handler.request_streaming, handler.response_streaming
        kinds = (handler.unary_unary, handler.unary_stream, handler.stream_unary, handler.stream_stream)
        inner = kinds[2 * converses + streams]
        health = path.startswith(OPEN)
        method = GatedMethod(inner, handler.request_deserializer, converses, streams, health, self._admit.get(path))
        translated_text = path.rpartition(".")[2] if path.startswith(OURS) else None
        wrap = grpc.stream_stream_rpc_method_handler if streams else grpc.stream_unary_rpc_method_handler
        answer = partial(self._interceptor.answer, translated_text, partial(self._let_in, method))
        return wrap(as_function(answer), response_serializer=partial(serialized, handler.response_serializer))

    def finish(self) -> None:
        """End health watches, which would otherwise last for the whole grace period, and reject new ones."""
        self._finished = True
        for limit in self._watches:
            limit.reschedule(0)

    # -- a call ----------------------------------------------------------------------------------------

    async def _let_in(self, method: GatedMethod, call: Call, context: Any) -> Any:
        """Answer a call. Raises ServiceError."""
        if not context.peer():  # the deadline passed before the call began, and gRPC has released it
            raise grpc.aio.InternalError("the call is over")
        address = address_of(context.peer())
        call.comes_from(address, f"peer:{address}", anonymous=True)
        token = "" if method.health else self._identify(call, context)
        with (self._checks if method.health else self._calls).taken(call.caller), self._lasting(method, token, context):
            if method.admit is not None:
                with part("place"):
                    context.admission = method.admit(context)
            if self._arrivals.number >= CROWD:
                self._interceptor.malloc_trimmer.note()
            if method.converses:
                return await self._converse(method, address, context)
            context.payload = await self._arrivals.read(context, address)
            if method.streams and not method.health:
                await self.newcomers.turn(call.caller)
            answer = method.handler(decode_request(context.payload, method.decode), context)
            return await (self._watch(answer) if method.health and method.streams else answer)

    async def _watch(self, answer: Awaitable[None]) -> None:
        """Run a health watch until the client leaves or the server shuts down."""
        with suppress(TimeoutError):
            async with asyncio.timeout(0 if self._finished else None) as limit:
                self._watches.add(limit)
                try:
                    await answer
                finally:
                    self._watches.discard(limit)

    def _identify(self, call: Call, context: Context) -> str:
        """Identify the caller of a call, and return the call's token; "" if none is required.

        Raises ServiceError. The call is then attributed to its address.
        """
        try:
            token = "" if self._tokens is None else require_token(self._tokens, context.invocation_metadata() or ())
            caller = self._callers.of(context)
        except ServiceError:
            stranger = self._callers.stranger(context)
            call.comes_from(stranger.origin, stranger.label, anonymous=stranger.label == call.label)
            raise
        call.comes_from(caller.origin, caller.label, anonymous=caller.label == call.label)
        return token

    def _lasting(self, method: GatedMethod, token: str, context: Context) -> AbstractContextManager[None]:
        """Return a context that ends a streaming call when its token becomes invalid."""
        if self._tokens is None or not (token and method.streams):
            return nullcontext()
        return self._tokens.streaming(token, marked=self._callers.names_others(context))

    async def _converse(self, method: GatedMethod, address: str, context: Context) -> None:
        """Answer each request of a streaming call; each request must arrive in time."""

        async def requests() -> AsyncIterator[Any]:
            while (payload := await self._arrivals.next(context, address)) is not None:
                yield decode_request(payload, method.decode)

        await write_each(method.handler(requests(), context), context.write)

    async def _find_nothing(self, call: Call, context: Context) -> None:
        """Reject a call of an unknown method. It is not counted by name, because the names could fill the memory."""
        call.caller = address_of(context.peer())
        raise ServiceError(Reason.NO_SUCH_METHOD, [("", "the server has no such method")])


def as_function(answer: Callable[[object, Context], Awaitable[Any]]) -> Callable[[object, Context], Awaitable[Any]]:
    """Return a function for a partial one, which gRPC inspects at every call."""

    async def answered(requests: object, context: Context) -> Any:
        work = answer(requests, context)
        del requests, context  # as in CallInterceptor.answer
        return await work

    return answered


def decode_request(payload: bytes, decode: Callable[[bytes], Any]) -> Any:
    """Parse a request. Raises ServiceError if it cannot be parsed."""
    try:
        return decode(payload)
    except DecodeError:
        raise_error(Reason.UNREADABLE_REQUEST, "", "the request is not a message of this method")


def serialized(serialize: Callable[[Any], bytes], answer: Any) -> bytes:
    """Return a serialized response; a message for several callers may be serialized already."""
    return answer if isinstance(answer, bytes) else serialize(answer)


def channel_options(most: int, streams: int = STREAMS, idle: float | None = None) -> list[tuple[str, int]]:
    """Return the options of a server.

    Args:
        most: maximum number of connections of each port.
        streams: maximum number of calls of each connection.
        idle: seconds after which a connection without calls is closed; None for never.
    """
    limits = [("grpc.max_allowed_incoming_connections", most), ("grpc.max_concurrent_streams", streams)]
    return [*OPTIONS, *limits, *([] if idle is None else [("grpc.max_connection_idle_ms", round(1000 * idle))])]
