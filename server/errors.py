"""The reasons for which a call is refused, sent to its caller in a google.rpc.Status by every method."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NoReturn

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, PreconditionFailure, RequestInfo, RetryInfo
from google.rpc.status_pb2 import Status

DOMAIN = "clerestory"
MAX_LISTED = 24  # faults named in one answer: a status travels in headers, which are small
MAX_DESCRIPTION = 160  # characters of each


class Reason(StrEnum):
    """The reason of an ErrorInfo. docs/protocol.md says what each means."""

    UNREADABLE_REQUEST = "UNREADABLE_REQUEST"
    SLOW_REQUEST = "SLOW_REQUEST"
    NO_SUCH_METHOD = "NO_SUCH_METHOD"
    BAD_POSITION = "BAD_POSITION"
    HIDDEN_FROM_SEAT = "HIDDEN_FROM_SEAT"
    BAD_SEAT = "BAD_SEAT"
    BAD_TIME_BUDGET = "BAD_TIME_BUDGET"
    BAD_ITERATIONS = "BAD_ITERATIONS"
    BAD_MAX_TREE_BYTES = "BAD_MAX_TREE_BYTES"
    BAD_LEVEL = "BAD_LEVEL"
    BAD_THREADS = "BAD_THREADS"
    BAD_GAME_ID = "BAD_GAME_ID"
    BAD_CONSIDER_ACTIONS = "BAD_CONSIDER_ACTIONS"
    BAD_AVOID_ACTIONS = "BAD_AVOID_ACTIONS"
    BAD_UPDATE_INTERVAL = "BAD_UPDATE_INTERVAL"
    BAD_TARGET_CERTAINTY = "BAD_TARGET_CERTAINTY"
    BAD_GAME = "BAD_GAME"
    BAD_SEATS = "BAD_SEATS"
    BAD_ACTION = "BAD_ACTION"
    TOO_MANY_ACTIONS = "TOO_MANY_ACTIONS"
    GAME_OVER = "GAME_OVER"
    NOT_SEATS_TURN = "NOT_SEATS_TURN"
    ILLEGAL_ACTION = "ILLEGAL_ACTION"
    NO_SUCH_GAME = "NO_SUCH_GAME"
    WRONG_SEAT_TOKEN = "WRONG_SEAT_TOKEN"
    STALE_VERSION = "STALE_VERSION"
    SEAT_TAKEN = "SEAT_TAKEN"
    NOT_STARTED = "NOT_STARTED"
    FROZEN = "FROZEN"
    TAKE_BACK_REFUSED = "TAKE_BACK_REFUSED"
    LOG_FULL = "LOG_FULL"
    BAD_OPTIONS = "BAD_OPTIONS"
    BAD_PLY = "BAD_PLY"
    BAD_PAGE = "BAD_PAGE"
    BAD_RECORD = "BAD_RECORD"
    NO_HINTS_YET = "NO_HINTS_YET"
    NO_SUCH_PUZZLE = "NO_SUCH_PUZZLE"
    TOO_MANY_GAMES = "TOO_MANY_GAMES"
    TOO_MANY_WATCHERS = "TOO_MANY_WATCHERS"
    DISK_FULL = "DISK_FULL"
    STORE_FAILED = "STORE_FAILED"
    MISSING_TOKEN = "MISSING_TOKEN"
    BAD_TOKEN = "BAD_TOKEN"
    BAD_ON_BEHALF = "BAD_ON_BEHALF"
    ON_BEHALF_DENIED = "ON_BEHALF_DENIED"
    BUSY = "BUSY"
    OUT_OF_TIME = "OUT_OF_TIME"
    FINISHING = "FINISHING"
    INTERNAL = "INTERNAL"


CODES = {
    Reason.UNREADABLE_REQUEST: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.SLOW_REQUEST: grpc.StatusCode.DEADLINE_EXCEEDED,
    Reason.NO_SUCH_METHOD: grpc.StatusCode.UNIMPLEMENTED,
    Reason.BAD_POSITION: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.HIDDEN_FROM_SEAT: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_SEAT: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_TIME_BUDGET: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_ITERATIONS: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_MAX_TREE_BYTES: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_LEVEL: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_THREADS: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_GAME_ID: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_CONSIDER_ACTIONS: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_AVOID_ACTIONS: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_UPDATE_INTERVAL: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_TARGET_CERTAINTY: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_GAME: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_SEATS: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_ACTION: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.TOO_MANY_ACTIONS: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.GAME_OVER: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NOT_SEATS_TURN: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.ILLEGAL_ACTION: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NO_SUCH_GAME: grpc.StatusCode.NOT_FOUND,
    Reason.WRONG_SEAT_TOKEN: grpc.StatusCode.PERMISSION_DENIED,
    Reason.STALE_VERSION: grpc.StatusCode.ABORTED,
    Reason.SEAT_TAKEN: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NOT_STARTED: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.FROZEN: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.TAKE_BACK_REFUSED: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.LOG_FULL: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.BAD_OPTIONS: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_PLY: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_PAGE: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_RECORD: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.NO_HINTS_YET: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NO_SUCH_PUZZLE: grpc.StatusCode.NOT_FOUND,
    Reason.TOO_MANY_GAMES: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.TOO_MANY_WATCHERS: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.DISK_FULL: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.STORE_FAILED: grpc.StatusCode.UNAVAILABLE,
    Reason.MISSING_TOKEN: grpc.StatusCode.UNAUTHENTICATED,
    Reason.BAD_TOKEN: grpc.StatusCode.UNAUTHENTICATED,
    Reason.BAD_ON_BEHALF: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.ON_BEHALF_DENIED: grpc.StatusCode.PERMISSION_DENIED,
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
        retry: seconds after which it may be tried again, if that makes sense.
        metadata: of the ErrorInfo: what a program may want to know beside the reason.
    """

    def __init__(
        self,
        reason: Reason,
        faults: Sequence[tuple[str, str]],
        retry: float | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        self.reason = reason
        self.retry = retry
        self.metadata = metadata or {}
        self.faults = [(field, description[:MAX_DESCRIPTION]) for field, description in faults[:MAX_LISTED]]
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        super().__init__(": ".join(filter(None, self.faults[0])) + more)


class SetAside(CallError):
    """A game cannot be read by this server; the others go on. A server of another version may read it.

    Args:
        game_id: of the game.
        why: in words for its players.
    """

    def __init__(self, game_id: str, why: str) -> None:
        self.game_id = game_id
        self.why = why
        super().__init__(Reason.FROZEN, [("game_id", why)])


def refuse(reason: Reason, field: str, description: str) -> NoReturn:
    """Raise the CallError for one fault; `field` is empty if no field of the request is to blame."""
    raise CallError(reason, [(field, description)])


@dataclass(slots=True)
class Faults:
    """The faults of a request, collected as they are found."""

    found: list[tuple[Reason, str, str]] = field(default_factory=list)

    def add(self, reason: Reason, path: str, description: str) -> None:
        """Add what is wrong with the field of that path."""
        self.found.append((reason, path, description))

    def require_none(self) -> None:
        """Raise a CallError with all faults of the most basic kind: invalid arguments before failed preconditions."""
        if not self.found:
            return
        worst = [fault for fault in self.found if CODES[fault[0]] == grpc.StatusCode.INVALID_ARGUMENT] or self.found
        raise CallError(worst[0][0], [(path, description) for _, path, description in worst])


def status_of(error: CallError, request_id: str = "") -> Status:
    """Return an error as the Status for the caller; `request_id` identifies the call."""
    details = [ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=error.metadata), *further_details(error)]
    if request_id:
        details.append(RequestInfo(request_id=request_id))
    status = Status(code=CODES[error.reason].value[0], message=str(error))
    for detail in details:
        packed = AnyMessage()
        packed.Pack(detail)
        status.details.append(packed)
    return status


def further_details(error: CallError) -> list[Message]:
    """Return the details that the error's code requires besides the ErrorInfo (AIP-193)."""
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
    if error.retry is None:
        return []
    delay = Duration()
    delay.FromMilliseconds(round(1000 * error.retry))
    return [RetryInfo(retry_delay=delay)]
