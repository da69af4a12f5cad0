"""What a call can be refused for, and how the caller is told: one google.rpc.Status, for every method."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import Any, NoReturn

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError, Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, PreconditionFailure, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

DOMAIN = "clerestory"
MAX_LISTED = 24  # faults named in one answer: a status travels in headers, which are small
MAX_DESCRIPTION = 160  # characters of each
RETRY_SECONDS = 1  # before a caller turned away tries again

logger = logging.getLogger(__name__)


class Reason(StrEnum):
    """The reason of an ErrorInfo. docs/protocol.md says what each means."""

    UNREADABLE_REQUEST = "UNREADABLE_REQUEST"
    BAD_POSITION = "BAD_POSITION"
    HIDDEN_FROM_SEAT = "HIDDEN_FROM_SEAT"
    BAD_SEAT = "BAD_SEAT"
    BAD_TIME_BUDGET = "BAD_TIME_BUDGET"
    BAD_ITERATIONS = "BAD_ITERATIONS"
    GAME_OVER = "GAME_OVER"
    NATURES_TURN = "NATURES_TURN"
    NOT_SEATS_TURN = "NOT_SEATS_TURN"
    BUSY = "BUSY"
    OUT_OF_TIME = "OUT_OF_TIME"
    FINISHING = "FINISHING"
    INTERNAL = "INTERNAL"


CODES = {
    Reason.UNREADABLE_REQUEST: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_POSITION: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.HIDDEN_FROM_SEAT: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_SEAT: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_TIME_BUDGET: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_ITERATIONS: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.GAME_OVER: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NATURES_TURN: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NOT_SEATS_TURN: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.BUSY: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.OUT_OF_TIME: grpc.StatusCode.DEADLINE_EXCEEDED,
    Reason.FINISHING: grpc.StatusCode.UNAVAILABLE,
    Reason.INTERNAL: grpc.StatusCode.INTERNAL,
}


class CallError(Exception):
    """A call is refused.

    Args:
        reason: why.
        faults: (path of the field, what is wrong there), at least one; the caller sees them all.
    """

    def __init__(self, reason: Reason, faults: Sequence[tuple[str, str]]) -> None:
        self.reason = reason
        self.faults = [(field, description[:MAX_DESCRIPTION]) for field, description in faults[:MAX_LISTED]]
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        super().__init__(": ".join(filter(None, self.faults[0])) + more)


def refuse(reason: Reason, field: str, description: str) -> NoReturn:
    """Raise the CallError for one fault; `field` is empty where no field of the request is to blame."""
    raise CallError(reason, [(field, description)])


def status_of(error: CallError) -> Status:
    """Return an error as it goes to the caller."""
    details = [ErrorInfo(reason=error.reason, domain=DOMAIN), *further_details(error)]
    status = Status(code=CODES[error.reason].value[0], message=str(error))
    for detail in details:
        packed = AnyMessage()
        packed.Pack(detail)
        status.details.append(packed)
    return status


def further_details(error: CallError) -> list[Message]:
    """Return what the error's code calls for beside the ErrorInfo (AIP-193)."""
    match CODES[error.reason]:
        case grpc.StatusCode.INVALID_ARGUMENT:
            fields = [BadRequest.FieldViolation(field=field, description=text) for field, text in error.faults]
            return [BadRequest(field_violations=fields)]
        case grpc.StatusCode.FAILED_PRECONDITION:
            failures = [
                PreconditionFailure.Violation(type=error.reason, subject=field, description=text)
                for field, text in error.faults
            ]
            return [PreconditionFailure(violations=failures)]
        case grpc.StatusCode.RESOURCE_EXHAUSTED:
            return [RetryInfo(retry_delay=Duration(seconds=RETRY_SECONDS))]
    return []


Handler = Callable[[Any, grpc.aio.ServicerContext[Any, Any]], Awaitable[Any]]


class ErrorBoundary(grpc.aio.ServerInterceptor):
    """Turns whatever a handler of our services raises into its Status, a request that cannot be decoded included."""

    async def intercept_service(self, continuation: Any, handler_call_details: grpc.HandlerCallDetails) -> Any:
        """Wrap the handler of a unary method."""
        handler = await continuation(handler_call_details)
        if handler is None or not handler_call_details.method.startswith("/clerestory."):
            return handler
        return grpc.unary_unary_rpc_method_handler(
            guarded(handler.unary_unary, handler.request_deserializer),
            response_serializer=handler.response_serializer,
        )


def guarded(handler: Handler, decode: Callable[[bytes], Any]) -> Handler:
    """Return a handler of bytes that answers, or aborts with the Status of what went wrong."""

    async def answer(payload: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        try:
            return await handler(decode_request(payload, decode), context)
        except CallError as error:
            status = status_of(error)
        except Exception:
            logger.exception("unexpected error in a call")
            status = status_of(CallError(Reason.INTERNAL, [("", "unexpected error; the server has logged it")]))
        return await context.abort_with_status(rpc_status.to_status(status))

    return answer


def decode_request(payload: bytes, decode: Callable[[bytes], Any]) -> Any:
    """Return the request message. Raises CallError for bytes that are none."""
    try:
        return decode(payload)
    except DecodeError:
        refuse(Reason.UNREADABLE_REQUEST, "", "the request is not a message of this method")
