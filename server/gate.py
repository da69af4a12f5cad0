"""What a call passes before its handler: a token, a place for its caller, and limits on its message's way."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from clerestory.counting import decrease
from clerestory.refusals import Reason, Refusal, refuse
from clerestory.server.arrivals import Arrivals, Context
from clerestory.server.boundary import Boundary, Call
from clerestory.server.callers import Callers, address_of
from clerestory.server.security import Tokens, require_token
from clerestory.spans import part

OURS = "/clerestory."  # methods whose calls are logged and counted
OPEN = "/grpc.health.v1.Health/"  # needs no token, and has places of its own, so that a crowd hides no sick server
MOST_CALLS = 1536  # in progress, of all callers; one caller may have half of what the others leave
MOST_CHECKS = 256  # of health
CROWD = 64  # requests on their way at once, from which on memory is given back afterwards
RETRY = 0.1  # seconds after which a call of a caller with too many may be tried again

Require = Callable[[Context], object]
MethodHandler = Any  # of gRPC; its types know no handler that reads by itself


class InProgress:
    """The calls in progress, of which each caller may have as many as are free.

    Args:
        most: of all callers.
    """

    def __init__(self, most: int) -> None:
        self._most, self._total = most, 0
        self._of: Counter[str] = Counter()

    @contextmanager
    def taken(self, caller: str) -> Iterator[None]:
        """Count a call during the block. Raises Refusal, BUSY."""
        if self._of[caller] >= self._most - self._total:
            raise Refusal(
                Reason.BUSY,
                [("", f"{self._of[caller]} calls of this caller are in progress, the most allowed now")],
                RETRY,
            )
        self._of[caller] += 1
        self._total += 1
        try:
            yield
        finally:
            self._total -= 1
            decrease(self._of, caller)


@dataclass(frozen=True, slots=True)
class GatedMethod:
    """A method behind the gate.

    Attributes:
        handler: takes the request, or the requests, and the context.
        decode: makes a message of a request.
        converses: whether it takes any number of requests.
        streams: whether it answers with any number of messages.
        health: whether it is one of the health service.
        require: refuses a call before its message is read.
    """

    handler: Callable[[Any, Context], Any]
    decode: Callable[[bytes], Any]
    converses: bool
    streams: bool
    health: bool
    require: Require | None


class Gate(grpc.GenericRpcHandler):
    """The methods of a server; it takes the place of the server where services are added to it.

    To gRPC every method takes any number of messages, so that a call's message is read by us, once the call has passed:
    what is sent before is bounded by the window of flow control. Clients see no difference.

    Args:
        boundary: around every call.
        tokens: one of which each call must bring; None if none is required.
        callers: of the calls.
        most: calls in progress.
        require: refuses calls of a method, by its path, before their message is read.
    """

    def __init__(
        self, boundary: Boundary, tokens: Tokens | None, callers: Callers, most: int, require: Mapping[str, Require]
    ) -> None:
        self._boundary, self._tokens, self._callers, self._require = boundary, tokens, callers, require
        self._arrivals, self._calls, self._checks = Arrivals(), InProgress(most), InProgress(MOST_CHECKS)
        self._watches, self._finished = set[asyncio.Timeout](), False
        self._methods: dict[str, MethodHandler] = {}
        self._unknown: MethodHandler = grpc.stream_unary_rpc_method_handler(
            partial(self._boundary.answer, None, self._find_nothing)
        )

    # -- as a server, and as the handler of all methods ------------------------------------------------

    def add_generic_rpc_handlers(self, handlers: Sequence[grpc.GenericRpcHandler]) -> None:
        """Do nothing: stubs register each of these methods as well."""

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, MethodHandler]) -> None:
        """Add the methods of a service."""
        for name, handler in handlers.items():
            path = f"/{service}/{name}"
            self._methods[path] = self._behind(path, handler)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> MethodHandler:
        """Return the handler of a method, also of one that there is not."""
        return self._methods.get(handler_call_details.method, self._unknown)

    def _behind(self, path: str, handler: MethodHandler) -> MethodHandler:
        """Return the handler of a method that lies behind the gate."""
        converses, streams = handler.request_streaming, handler.response_streaming
        kinds = (handler.unary_unary, handler.unary_stream, handler.stream_unary, handler.stream_stream)
        inner = kinds[2 * converses + streams]
        health = path.startswith(OPEN)
        method = GatedMethod(inner, handler.request_deserializer, converses, streams, health, self._require.get(path))
        told = path.rpartition(".")[2] if path.startswith(OURS) else None
        wrap = grpc.stream_stream_rpc_method_handler if streams else grpc.stream_unary_rpc_method_handler
        answer = partial(self._boundary.answer, told, partial(self._let_in, method))
        return wrap(answer, response_serializer=partial(serialized, handler.response_serializer))

    def finish(self) -> None:
        """End the calls that watch the server's health: others end by themselves, these would take the whole grace."""
        self._finished = True
        for limit in self._watches:
            limit.reschedule(0)

    # -- a call ----------------------------------------------------------------------------------------

    async def _let_in(self, method: GatedMethod, call: Call, context: Context) -> Any:
        """Answer a call. Raises Refusal."""
        if not context.peer():  # its time had passed before it began, and gRPC has let go of it
            raise grpc.aio.InternalError("the call is over")
        address = address_of(context.peer())
        call.comes_from(address, f"peer:{address}")
        token = "" if method.health else self._identify(call, context)
        with (self._checks if method.health else self._calls).taken(call.caller), self._lasting(method, token, context):
            if method.require is not None:
                with part("place"):
                    method.require(context)
            if self._arrivals.number >= CROWD:
                self._boundary.aftermath.note()
            if method.converses:
                return await self._converse(method, address, context)
            payload = await self._arrivals.read(context, address)
            answer = method.handler(decode_request(payload, method.decode), context)
            return await (self._watch(answer) if method.health and method.streams else answer)

    async def _watch(self, answer: Awaitable[None]) -> None:
        """Let a call watch the server's health until it leaves or the server finishes."""
        with suppress(TimeoutError):
            async with asyncio.timeout(0 if self._finished else None) as limit:
                self._watches.add(limit)
                try:
                    await answer
                finally:
                    self._watches.discard(limit)

    def _identify(self, call: Call, context: Context) -> str:
        """Note whose a call is, or, if it is refused, where it comes from; return its token, "" if it needs none.

        Raises Refusal.
        """
        try:
            token = "" if self._tokens is None else require_token(self._tokens, context.invocation_metadata() or ())
            caller = self._callers.of(context)
        except Refusal:
            stranger = self._callers.stranger(context)
            call.comes_from(stranger.origin, stranger.label)
            raise
        call.comes_from(caller.origin, caller.label)
        return token

    def _lasting(self, method: GatedMethod, token: str, context: Context) -> AbstractContextManager[None]:
        """Return what ends a call of a method that streams when its token, if it needs one, no longer lets it in."""
        if self._tokens is None or not (token and method.streams):
            return nullcontext()
        return self._tokens.streaming(token, marked=self._callers.names_others(context))

    async def _converse(self, method: GatedMethod, address: str, context: Context) -> None:
        """Answer each of the requests of a call, each of which has to arrive in time."""

        async def requests() -> AsyncIterator[Any]:
            while (payload := await self._arrivals.next(context, address)) is not None:
                yield decode_request(payload, method.decode)

        async for answer in method.handler(requests(), context):
            await context.write(answer)

    async def _find_nothing(self, call: Call, context: Context) -> None:
        """Refuse a call of a method that there is not; counted by name, such calls could fill the memory."""
        call.caller = address_of(context.peer())
        raise Refusal(Reason.NO_SUCH_METHOD, [("", "the server has no such method")])


def decode_request(payload: bytes, decode: Callable[[bytes], Any]) -> Any:
    """Return the request message. Raises Refusal for bytes that cannot be decoded."""
    try:
        return decode(payload)
    except DecodeError:
        refuse(Reason.UNREADABLE_REQUEST, "", "the request is not a message of this method")


def serialized(serialize: Callable[[Any], bytes], answer: Any) -> bytes:
    """Return an answer as bytes; a message that several callers get is serialized already."""
    return answer if isinstance(answer, bytes) else serialize(answer)
