"""The errors of calls.

AdvisorError     any of them; `reason` is one of those in docs/reference.md, "" if the server gave none
├─ BadRequest    the request is invalid; `violations` lists why
├─ NotNow        it is valid, but not at this point of the game
├─ Busy          the server is full; try again later
├─ OutOfTime     the time ran out before there was an answer
├─ Denied        the server does not accept the token or the certificate, or does not allow the call
├─ Unsupported   the server does not have this method: it is older than the client, or another program
└─ Unavailable   no server answers there, or it is shutting down
BadConnection    an unusable target, token or TLS file; found before anything is sent
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import grpc
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest as BadRequestDetail
from google.rpc.error_details_pb2 import ErrorInfo, LocalizedMessage, PreconditionFailure, RetryInfo
from google.rpc.status_pb2 import Status

from clerestory.error_details import words_for_users
from clerestory.i18n import say
from clerestory.i18n.languages import language_asked
from clerestory.metadata import DETAILS
from clerestory.service_errors import Reason

if TYPE_CHECKING:
    from clerestory.v1.advisor_pb2 import BatchError  # loaded by those who send batches


class FieldViolation(NamedTuple):
    """A fault of a request: the path of the field, and what is wrong there."""

    field: str
    description: str

    def __str__(self) -> str:
        return f"{self.field}: {self.description}" if self.field else self.description


class AdvisorError(Exception):
    """A call failed.

    Args:
        message: what happened, for people.
        reason: what happened, for programs.
        violations: the invalid fields, and fields whose action is impossible at this point of the game.
        retry_after: seconds to wait before another try, None if the server said nothing.
        metadata: details of the reason: for STALE_VERSION, `version`, the current one.
        localized: what happened, for users, in the language of the client; "" for a client without one.
    """

    def __init__(
        self,
        message: str,
        reason: str = "",
        violations: Sequence[FieldViolation] = (),
        retry_after: float | None = None,
        metadata: Mapping[str, str] | None = None,
        localized: str = "",
    ) -> None:
        super().__init__("; ".join(map(str, violations)) or message)
        self.reason = reason
        self.violations = tuple(violations)
        self.retry_after = retry_after
        self.metadata = dict(metadata or {})
        self.localized = localized


class BadRequest(AdvisorError):
    """The request is invalid."""


class NotNow(AdvisorError):
    """The request is valid, but not at this point of the game."""


class Busy(AdvisorError):
    """The server is full."""


class OutOfTime(AdvisorError):
    """The time ran out before there was an answer."""


class Denied(AdvisorError):
    """The server does not accept the caller, or does not allow the call."""


class Unsupported(AdvisorError):
    """The server does not have this method."""


class Unavailable(AdvisorError):
    """No server answers, or it is shutting down."""


class BadConnection(ValueError):
    """An argument is unusable for a connection.

    Args:
        field: the argument.
        description: the problem with its value.
    """

    def __init__(self, field: str, description: str) -> None:
        super().__init__(f"{field}: {description}")
        self.field, self.description = field, description

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes it again in another process."""
        return type(self), (self.field, self.description)


KINDS = {
    grpc.StatusCode.INVALID_ARGUMENT: BadRequest,
    grpc.StatusCode.NOT_FOUND: BadRequest,
    grpc.StatusCode.FAILED_PRECONDITION: NotNow,
    grpc.StatusCode.ABORTED: NotNow,  # another change came first
    grpc.StatusCode.RESOURCE_EXHAUSTED: Busy,
    grpc.StatusCode.DEADLINE_EXCEEDED: OutOfTime,
    grpc.StatusCode.UNAVAILABLE: Unavailable,
    grpc.StatusCode.CANCELLED: Unavailable,  # by a server that shuts down, or by closing the advisor
    grpc.StatusCode.UNAUTHENTICATED: Denied,
    grpc.StatusCode.PERMISSION_DENIED: Denied,
    grpc.StatusCode.UNIMPLEMENTED: Unsupported,
}


LIKELY = {
    BadRequest: Reason.UNREADABLE_REQUEST,
    Busy: Reason.BUSY,
    OutOfTime: Reason.OUT_OF_TIME,
    Unsupported: Reason.NO_SUCH_METHOD,
}  # kind of error -> its reason where none was given
HINTS = {
    "Connection refused": "no server listens at this address",
    "No such file": "no server listens at this address",
    "lookup failed": "no host of this name is known",
    "Socket closed": "the server closed the connection; it may require TLS or a client certificate",
    "reset by peer": "the server closed the connection; it may require TLS or a client certificate",
    "WRONG_VERSION_NUMBER": "the server does not use TLS",
    "Failed parsing HTTP/2": "this port does not speak gRPC; it may be that of a page (`--web`), not of `--listen`",
}  # gRPC's text on a failed connection -> a likely cause
FAILED = ("last error", "errors resolving")  # what such a text has


def error_of(failure: grpc.RpcError, proxy: str = "") -> AdvisorError:
    """Return our own error for a failed call, sync or async.

    Args:
        failure: of the call.
        proxy: name of the environment variable with the proxy on the way to the server, "" for none.
    """
    call = cast(grpc.Call, failure)
    info, request, untimely = ErrorInfo(), BadRequestDetail(), PreconditionFailure()
    retry, localized = RetryInfo(), LocalizedMessage()
    unpack(call, info, request, untimely, retry, localized)
    violations = [FieldViolation(one.field, one.description) for one in request.field_violations]
    violations += [FieldViolation(one.subject, one.description) for one in untimely.violations]
    wait = retry.retry_delay.ToNanoseconds() / 1e9 if retry.HasField("retry_delay") else None
    kind = KINDS.get(call.code(), AdvisorError)
    text = explained(call.details() or call.code().name, proxy)
    return kind(text, info.reason, violations, wait, info.metadata, localized.message)


@contextmanager
def telling(language: str | None) -> Iterator[None]:
    """Add a message in the language of the user to errors of this block that have none; None adds nothing."""
    try:
        yield
    except AdvisorError as error:
        if language is not None and not error.localized:
            error.localized = words_of(error, language_asked(language))
        raise


def words_of(error: AdvisorError, language: str) -> str:
    """Return a message for users about an error that came without one from a server; "" if there is none."""
    if error.reason in Reason.__members__:
        return words_for_users(Reason[error.reason], str(error), language)
    if isinstance(error, Unavailable):
        return say("page", "trouble.unreachable", language=language)
    reasons = [reason for kind, reason in LIKELY.items() if isinstance(error, kind)]
    return words_for_users(reasons[0], str(error), language) if reasons else ""


def explained(details: str, proxy: str = "") -> str:
    """Return gRPC's text on a failure, after what it may mean if no connection could be made."""
    if not any(sign in details for sign in FAILED):
        return details
    hints = [hint for sign, hint in HINTS.items() if sign in details][:1]
    if proxy:
        hints.append(f"{proxy} is set: unless no_proxy names the server, gRPC calls it through that proxy")
    return f"{'; '.join(hints)} ({details})" if hints else details


def batch_error(error: "BatchError") -> AdvisorError:
    """Return our own error for a query of a batch that has no answer."""
    codes = {code.value[0]: code for code in grpc.StatusCode}
    violations = [FieldViolation(one.field, one.description) for one in error.violations]
    wait = error.retry_delay.ToNanoseconds() / 1e9 if error.HasField("retry_delay") else None
    kind = KINDS.get(codes.get(error.code, grpc.StatusCode.UNKNOWN), AdvisorError)
    return kind(error.message, error.reason, violations, wait)


def unpack(call: grpc.Call, *details: Message) -> None:
    """Fill each of the given messages that a failed call carries."""
    for key, value in call.trailing_metadata() or ():
        if key == DETAILS and isinstance(value, bytes):
            for packed in Status.FromString(value).details:
                for detail in details:
                    packed.Unpack(detail)
