"""Wraps every call: assigns a request ID, logs and counts the call, and turns exceptions into a gRPC status."""

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import grpc
from grpc_status import rpc_status

from clerestory import spans
from clerestory.log_context import bind_contextvars, bound_contextvars
from clerestory.metadata import PUSHBACK, REQUEST_ID, TRACE_PARENT, VIA
from clerestory.server.hardening.malloc_trimmer import MallocTrimmer
from clerestory.server.hardening.rate_limit import RateLimit
from clerestory.server.rpc.errors import CODES, status_of
from clerestory.server.rpc.locale import language_of_call, speak
from clerestory.server.rpc.metrics import Metrics
from clerestory.service_errors import Reason, ServiceError

Context = grpc.aio.ServicerContext[Any, Any]
End = tuple[grpc.StatusCode, str, tuple[tuple[str, str | bytes], ...]]  # code, message and trailing metadata of a call

NEVER = "-1"  # the pushback of a call that must not be retried
FIT_FOR_AN_ID = re.compile(r"[\w.:-]{1,64}", re.ASCII)
ABANDONED = "CANCELLED"  # the logged code of a call whose client left
PACED = ("RESOURCE_EXHAUSTED", "UNAUTHENTICATED", "DEADLINE_EXCEEDED", "UNIMPLEMENTED")  # rate-limited
CROWDED = Reason.TOO_MANY_WATCHERS  # rate-limited for all callers together, because a crowd has many addresses
UNDELAYED = Reason.SLOW_REQUEST  # never delayed, because the part of its message that arrived stays in memory meanwhile
LEFT: End = (grpc.StatusCode.CANCELLED, "the caller left", ())

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Call:
    """The facts about a call that are logged and counted.

    Attributes:
        caller: the identity whose errors share a rate limit.
        label: the caller's name in the log.
        code: the final status code, for logs and metrics.
        reason: the reason of the service error, if there was one.
        anonymous: whether only its address identifies the caller.
    """

    caller: str = ""
    label: str = ""
    code: str = "OK"
    reason: str = ""
    anonymous: bool = True

    def comes_from(self, caller: str, label: str, *, anonymous: bool) -> None:
        """Set the caller, also for the call's log lines."""
        self.caller, self.label, self.anonymous = caller, label, anonymous
        bind_contextvars(caller=label)


Handler = Callable[[Call, Context], Awaitable[Any]]


class CallInterceptor:
    """Turns exceptions of handlers into a gRPC status, and rate-limits errors by caller.

    Args:
        metrics: counts the calls.
        by_address: whether to rate-limit callers that only their address identifies.
    """

    def __init__(self, metrics: Metrics, *, by_address: bool = True) -> None:
        self._metrics, self._by_address = metrics, by_address
        self._rate_limit = RateLimit()
        self.malloc_trimmer = MallocTrimmer()

    async def answer(self, method: str | None, handler: Handler, _: object, given: Context) -> Any:
        """Answer a call, or abort it with the status of the error.

        Args:
            method: `Service/Method` for logs and metrics; None for a call that is neither logged nor counted.
            handler: handles the call.
            given: the context of the call.
        """
        context: Any = CallContext(given)
        identifier, call, end = request_id(context), Call(), LEFT
        bind_contextvars(request_id=identifier)  # each call has its own task, and so its own context
        with self._observed(method, call, context):
            try:
                context.set_trailing_metadata(((REQUEST_ID, identifier),))
                await speak(context)
                return await handler(call, context)
            except ServiceError as error:
                failure = bare(error)
            except grpc.aio.AbortError:
                raise
            except grpc.aio.InternalError:  # the stream is broken: the client left, or rejects a message of this size
                call.code, failure = ABANDONED, None
            except Exception:
                logger.exception("unexpected error in a call")
                failure = ServiceError(Reason.INTERNAL, [("", "unexpected error; the server has logged it")])
            if failure is not None:
                await self._hold(call, failure, context.time_remaining())
        if failure is not None:
            remaining, language = context.time_remaining(), language_of_call(context)
            end = end_of(failure, identifier, method or "", remaining, language)
        abort = context.abort(*end)
        del _, given, context  # gRPC keeps this exception with the call: avoid a reference cycle
        return await abort

    async def _hold(self, call: Call, error: ServiceError, remaining: float | None) -> None:
        """Delay the error of a call by the rate limit of its caller, or of all who get this error."""
        call.code, call.reason = CODES[error.reason].name, error.reason
        if call.code in PACED:
            self.malloc_trimmer.note()
            if error.reason == CROWDED:
                await self._rate_limit.hold(error.reason, remaining)
            elif error.reason != UNDELAYED and (self._by_address or not call.anonymous):
                await self._rate_limit.hold(call.caller, remaining)

    @contextmanager
    def _observed(self, method: str | None, call: Call, context: Context) -> Iterator[None]:
        """Trace a call, and log and count it when it ends."""
        began = time.monotonic()
        with traced(method, context) as span:
            try:
                yield
            except asyncio.CancelledError:
                call.code = ABANDONED
                raise
            finally:
                if method is not None:
                    via, seconds = way(context), time.monotonic() - began
                    span.note(code=call.code, reason=call.reason, via=via)
                    loop = asyncio.get_running_loop()
                    loop.call_soon(self._log, method, call, via, seconds)  # once the response has been sent

    def _log(self, method: str, call: Call, via: str, seconds: float) -> None:
        """Count a call, and log it unless its caller has had too many such log lines."""
        self._metrics.count_call(method, call.code, call.reason, via, seconds)
        if call.code in PACED:
            self._metrics.count_rejected(call.label, call.code)
        silent = self._rate_limit.count_line(call.caller) if call.code in PACED else 0
        if silent is None:
            return
        fields = {"method": method, "code": call.code, "reason": call.reason, "via": via, "seconds": round(seconds, 6)}
        logger.info("call", extra=fields | ({"unlogged": silent} if silent else {}))


def bare(error: ServiceError) -> ServiceError:
    """Return an error without its traceback and causes, whose frames hold the call and its message."""
    error.__context__ = error.__cause__ = None
    return error.with_traceback(None)


def end_of(error: ServiceError, identifier: str, method: str, remaining: float | None, language: str | None) -> End:
    """Return the code, message and trailing metadata of a failed call.

    Args:
        error: the error.
        identifier: the request ID.
        method: `Service/Method`; "" for a method that does not exist.
        remaining: seconds to the deadline of the call; None for no deadline.
        language: the language that the call requests; None for none.
    """
    status = rpc_status.to_status(status_of(error, identifier, method, language))
    return (
        status.code,
        status.details,
        (*status.trailing_metadata, *pushback(error, remaining), (REQUEST_ID, identifier)),
    )


def traced(method: str | None, context: Context) -> AbstractContextManager[spans.Span]:
    """Return the span of a call, with its trace ID in log lines. Without a method or a tracer, it does nothing."""
    if method is None or spans.CURRENT_TRACER.get() is None:
        return spans.UNTRACED
    return traced_call(method, context)


@contextmanager
def traced_call(method: str, context: Context) -> Iterator[spans.Span]:
    """Yield the span of a call, and add its trace ID to log lines."""
    parents = (value for key, value in context.invocation_metadata() or () if key == TRACE_PARENT)
    with spans.call(method, str(next(parents, ""))) as span:
        if not span.trace_id:
            yield span
            return
        with bound_contextvars(trace_id=span.trace_id):
            yield span


def request_id(context: Context) -> str:
    """Return the client's request ID, or a new one if it is missing or not safe to log."""
    for key, value in context.invocation_metadata() or ():
        if key == REQUEST_ID and isinstance(value, str) and FIT_FOR_AN_ID.fullmatch(value):
            return value
    return token_hex(16)


def way(context: Context) -> str:
    """Return how the call arrived, for logs and metrics: through the gateway or directly."""
    return VIA[1] if VIA in (context.invocation_metadata() or ()) else "grpc"


def pushback(error: ServiceError, remaining: float | None) -> tuple[tuple[str, str], ...]:
    """Return the pushback metadata for gRPC: when to retry, or never if waiting would take half the remaining time."""
    if error.retry is None:
        return ()
    in_time = remaining is None or error.retry < remaining / 2
    return ((PUSHBACK, str(round(1000 * error.retry)) if in_time else NEVER),)


class CallContext:
    """A call context that caches the peer and the metadata, and delegates everything else.

    Args:
        context: the context from gRPC.

    Attributes:
        admission: what the check of the method returned, before the message was read; None without a check.
        payload: the message of a unary call, as received.
    """

    admission: Any = None
    payload: bytes = b""

    def __init__(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        self._context = context
        self._metadata, self._peer = context.invocation_metadata(), context.peer()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def invocation_metadata(self) -> Any:
        """Return the metadata that the client sent."""
        return self._metadata

    def peer(self) -> str:
        """Return the peer, as gRPC writes it."""
        return self._peer
