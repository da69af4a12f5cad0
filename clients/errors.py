"""What can go wrong between a question and its answer.

AdvisorError      any of them; `reason` is one of the table in docs/protocol.md, "" if the server gave none
 ├─ BadRequest    the question makes no sense; `violations` lists why
 ├─ NotNow        it makes sense, and not at this point of the game
 ├─ Busy          the server turned the call away; try again later
 ├─ OutOfTime     the time ran out before there was an answer
 └─ Unavailable   no server answers there, or it is finishing
"""

from collections.abc import Sequence
from typing import NamedTuple, cast

import grpc
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest as BadRequestDetail
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status


class FieldViolation(NamedTuple):
    """One thing wrong with a request: the path of the field, and what is wrong there."""

    field: str
    description: str

    def __str__(self) -> str:
        return f"{self.field}: {self.description}" if self.field else self.description


class AdvisorError(Exception):
    """A question got no answer.

    Args:
        message: what happened, for people.
        reason: the same for programs.
        violations: the fields to blame.
    """

    def __init__(self, message: str, reason: str = "", violations: Sequence[FieldViolation] = ()) -> None:
        super().__init__("; ".join(map(str, violations)) or message)
        self.reason = reason
        self.violations = tuple(violations)


class BadRequest(AdvisorError):
    """The question makes no sense."""


class NotNow(AdvisorError):
    """The question makes no sense at this point of the game."""


class Busy(AdvisorError):
    """The server has too much to do."""


class OutOfTime(AdvisorError):
    """The time ran out before there was an answer."""


class Unavailable(AdvisorError):
    """No server answers, or it is finishing."""


KINDS = {
    grpc.StatusCode.INVALID_ARGUMENT: BadRequest,
    grpc.StatusCode.FAILED_PRECONDITION: NotNow,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Busy,
    grpc.StatusCode.DEADLINE_EXCEEDED: OutOfTime,
    grpc.StatusCode.UNAVAILABLE: Unavailable,
}


def error_of(failure: grpc.RpcError) -> AdvisorError:
    """Return a failed call as one of our own errors."""
    call = cast(grpc.Call, failure)
    info, request = ErrorInfo(), BadRequestDetail()
    unpack(call, info, request)
    violations = [FieldViolation(violation.field, violation.description) for violation in request.field_violations]
    kind = KINDS.get(call.code(), AdvisorError)
    return kind(call.details() or call.code().name, info.reason, violations)


def unpack(call: grpc.Call, *details: Message) -> None:
    """Fill each of the given messages that a failed call carries."""
    status = rpc_status.from_call(call)
    for packed in status.details if status else ():
        for detail in details:
            packed.Unpack(detail)
