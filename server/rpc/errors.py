"""Maps service errors to google.rpc.Status, with a status code for the reason and the request fields at fault."""

import re

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import (
    BadRequest,
    ErrorInfo,
    LocalizedMessage,
    PreconditionFailure,
    RequestInfo,
    RetryInfo,
)
from google.rpc.status_pb2 import Status

from clerestory.error_details import DOMAIN, words_for_users
from clerestory.service_errors import Reason, ServiceError, in_words

MAX_LISTED = 24  # field violations in a status, which travels in small headers
MAX_DESCRIPTION = 160  # characters of each description

# The request fields for the domain's names, where the two differ: by method, or for all methods.
SAME = ("position", "seat", "iterations", "max_tree_bytes", "level", "character", "threads", "game_id")
QUESTION = {
    "seconds": "time_budget",
    "consider": "consider_actions",
    "avoid": "avoid_actions",
    **{name: name for name in SAME},
}
ANALYSIS = {"interval": "update_interval", "certainty": "target_certainty", "observer": "observer.seat"}
FIELDS_OF: dict[str, dict[str, str]] = {
    "AdvisorService/RecommendMove": QUESTION,
    "AdvisorService/Analyze": {name: f"question.{field}" for name, field in QUESTION.items()} | ANALYSIS,
    "GameService/CreateGame": {"actions": "beginning.actions"},
    "GameService/SetPrivateOutcome": {"action": "outcome"},
    "GameService/SetSeat": {"holder": "plan.kind"},
    "GameService/WatchGame": {"version": "from_version"},
    "AnnotationService/AnnotateGame": {
        "game_id": "hosted_game.game_id",
        "tokens": "hosted_game.tokens",
        "viewer": "viewer_seat",
        "seconds": "time_budget",
        "deep": "deep_budget",
    },
}
TIMES = {  # at the end of a path
    "seconds": "time_budget",
    "seconds_per_move": "time_per_move",
    "seconds_per_game": "time_per_game",
}
NAME = re.compile(r"\w+")
TIME = re.compile(rf"(?<=\.)({'|'.join(TIMES)})\Z")

CODES = {
    Reason.UNREADABLE_REQUEST: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.SLOW_REQUEST: grpc.StatusCode.DEADLINE_EXCEEDED,
    Reason.SLOW_READER: grpc.StatusCode.UNAVAILABLE,
    Reason.NO_SUCH_METHOD: grpc.StatusCode.UNIMPLEMENTED,
    Reason.BAD_POSITION: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.HIDDEN_FROM_SEAT: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_SEAT: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_TIME_BUDGET: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_ITERATIONS: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_MAX_TREE_BYTES: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_LEVEL: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_CHARACTER: grpc.StatusCode.INVALID_ARGUMENT,
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
    Reason.BAD_FIGURES: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.NO_HINTS_YET: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NO_SUCH_PUZZLE: grpc.StatusCode.NOT_FOUND,
    Reason.NO_SUCH_LESSON: grpc.StatusCode.NOT_FOUND,
    Reason.TOO_MANY_GAMES: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.TOO_MANY_WATCHERS: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.BAD_PHRASE: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.TOO_MANY_PHRASES: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.BAD_NOTICE_TARGET: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.TOO_MANY_NOTICE_TARGETS: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.NOTICES_OFF: grpc.StatusCode.FAILED_PRECONDITION,
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


def status_of(error: ServiceError, request_id: str = "", method: str = "", language: str | None = None) -> Status:
    """Return the google.rpc.Status of a service error.

    Args:
        error: the error.
        request_id: identifies the call; "" for none.
        method: `Service/Method`; "" for a method of another package.
        language: of an additional message for users, as the call requests; None for none.
    """
    listed, message = described(error, method)
    details = [ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=error.metadata)]
    details += further_details(error, listed)
    if request_id:
        details.append(RequestInfo(request_id=request_id))
    status = Status(code=CODES[error.reason].value[0], message=message)
    if language is not None:
        details.append(for_users(error.reason, status.message, language))
    for detail in details:
        packed = AnyMessage()
        packed.Pack(detail)
        status.details.append(packed)
    return status


def described(error: ServiceError, method: str) -> tuple[list[tuple[str, str]], str]:
    """Return the request fields at fault with short descriptions, not more than fit into a status, and the message."""
    faults = [(field_of(blamed, method), text) for blamed, text in error.faults]
    listed = [(field, text[:MAX_DESCRIPTION]) for field, text in faults[:MAX_LISTED]]
    return listed, in_words(listed + faults[len(listed) :])


def for_users(reason: Reason, english: str, language: str) -> LocalizedMessage:
    """Return the LocalizedMessage for the user of a client."""
    return LocalizedMessage(locale=language, message=words_for_users(reason, english, language))


def field_of(blamed: str, method: str) -> str:
    """Return the request field of a method for a domain name, with its index or path."""
    names = FIELDS_OF.get(method, {})
    blamed = NAME.sub(lambda found: names.get(found[0], found[0]), blamed, count=1)
    return TIME.sub(lambda found: TIMES[found[0]], blamed)


def further_details(error: ServiceError, faults: list[tuple[str, str]]) -> list[Message]:
    """Return the error details besides ErrorInfo: those that AIP-193 prescribes for the code, or the wrong token."""
    code = CODES[error.reason]
    if code == grpc.StatusCode.INVALID_ARGUMENT or error.reason == Reason.WRONG_SEAT_TOKEN:
        fields = [BadRequest.FieldViolation(field=field, description=text) for field, text in faults]
        return [BadRequest(field_violations=fields)]
    if code in (grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.ABORTED):
        failures = [
            PreconditionFailure.Violation(type=error.reason, subject=field, description=text) for field, text in faults
        ]
        return [PreconditionFailure(violations=failures)]
    if error.retry is None:
        return []
    delay = Duration()
    delay.FromMilliseconds(round(1000 * error.retry))
    return [RetryInfo(retry_delay=delay)]
