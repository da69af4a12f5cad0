"""Common parts of every call to our services: an identifier, a log line, metrics, and a Status for errors."""

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

import grpc
from google.protobuf.message import DecodeError
from grpc_status import rpc_status
from structlog.contextvars import bound_contextvars

from clerestory.server.errors import CODES, CallError, Reason, refuse, status_of
from clerestory.server.metrics import Metrics

PUSHBACK = "grpc-retry-pushback-ms"  # trailing metadata that gRPC's own retries obey
NEVER = "-1"  # its value for a call that must not be retried
REQUEST_ID = "x-request-id"  # metadata, of the call and of its answer
VIA = ("x-clerestory-via", "web")  # metadata of calls that come through the door for browsers
FIT_FOR_AN_ID = re.compile(r"[\w.:-]{1,64}", re.ASCII)
ABANDONED = "CANCELLED"  # code in the log if the caller left

logger = logging.getLogger(__name__)

Context = grpc.aio.ServicerContext[Any, Any]
Handler = Callable[[Any, Context], Awaitable[Any]]


@dataclass(slots=True)
class Ending:
    """How a call ended, for logs and metrics."""

    code: str = "OK"
    reason: str = ""


class Boundary(grpc.aio.ServerInterceptor):
    """Turns exceptions of our handlers into a Status, also for a request that cannot be decoded."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    async def intercept_service(self, continuation: Any, handler_call_details: grpc.HandlerCallDetails) -> Any:
        """Wrap the handler of a method that takes one request."""
        handler, method = await continuation(handler_call_details), handler_call_details.method
        if handler is None or not method.startswith("/clerestory."):
            return handler
        streams = handler.response_streaming
        wrap = grpc.unary_stream_rpc_method_handler if streams else grpc.unary_unary_rpc_method_handler
        inner = handler.unary_stream if streams else handler.unary_unary
        return wrap(
            partial(self._answer, method.rpartition(".")[2], inner, handler.request_deserializer),
            response_serializer=handler.response_serializer,
        )

    async def _answer(
        self, method: str, handler: Handler, decode: Callable[[bytes], Any], payload: bytes, context: Context
    ) -> Any:
        """Answer, or abort with the Status of the error."""
        identifier = request_id(context)
        with bound_contextvars(request_id=identifier), self._told(method, way(context)) as ending:
            try:
                context.set_trailing_metadata(((REQUEST_ID, identifier),))
                return await handler(decode_request(payload, decode), context)
            except CallError as error:
                refused = error
            except grpc.aio.InternalError:  # the stream is broken: the caller left, or refuses so large a message
                ending.code = ABANDONED
                return await context.abort(grpc.StatusCode.CANCELLED, "the caller left")
            except Exception:
                logger.exception("unexpected error in a call")
                refused = CallError(Reason.INTERNAL, [("", "unexpected error; the server has logged it")])
            ending.code, ending.reason = CODES[refused.reason].name, refused.reason
        status = rpc_status.to_status(status_of(refused, identifier))
        again = pushback(refused, context.time_remaining())
        metadata = (*status.trailing_metadata, *again, (REQUEST_ID, identifier))
        return await context.abort(status.code, status.details, metadata)

    @contextmanager
    def _told(self, method: str, via: str) -> Iterator[Ending]:
        """Log and count a call when it ends."""
        began, ending = time.monotonic(), Ending()
        try:
            yield ending
        except asyncio.CancelledError:
            ending.code = ABANDONED
            raise
        finally:
            seconds = time.monotonic() - began
            self._metrics.count_call(method, ending.code, ending.reason, via, seconds)
            fields = {"method": method, "code": ending.code, "reason": ending.reason, "via": via}
            logger.info("call", extra={**fields, "seconds": round(seconds, 6)})


def request_id(context: Context) -> str:
    """Return the caller's identifier of the call, or a new one if it gave none, or one not fit for logs."""
    for key, value in context.invocation_metadata() or ():
        if key == REQUEST_ID and isinstance(value, str) and FIT_FOR_AN_ID.fullmatch(value):
            return value
    return uuid4().hex


def way(context: Context) -> str:
    """Return the way a call came, for logs and metrics."""
    return VIA[1] if VIA in (context.invocation_metadata() or ()) else "grpc"


def pushback(error: CallError, remaining: float | None) -> tuple[tuple[str, str], ...]:
    """Return the metadata that tells gRPC when to retry, or not to if waiting would take half the time left."""
    if error.retry is None:
        return ()
    in_time = remaining is None or error.retry < remaining / 2
    return ((PUSHBACK, str(round(1000 * error.retry)) if in_time else NEVER),)


def decode_request(payload: bytes, decode: Callable[[bytes], Any]) -> Any:
    """Return the request message. Raises CallError for bytes that cannot be decoded."""
    try:
        return decode(payload)
    except DecodeError:
        refuse(Reason.UNREADABLE_REQUEST, "", "the request is not a message of this method")
