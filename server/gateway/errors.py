"""Errors of the Connect protocol, made from gRPC errors or raised by the gateway itself."""

import json
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from google.rpc.status_pb2 import Status

from clerestory.error_details import DOMAIN, words_for_users
from clerestory.i18n.languages import language_asked
from clerestory.metadata import DETAILS
from clerestory.service_errors import Reason

HTTP = {
    "canceled": 499,
    "unknown": 500,
    "invalid_argument": 400,
    "deadline_exceeded": 504,
    "not_found": 404,
    "already_exists": 409,
    "permission_denied": 403,
    "resource_exhausted": 429,
    "failed_precondition": 400,
    "aborted": 409,
    "out_of_range": 400,
    "unimplemented": 501,
    "internal": 500,
    "unavailable": 503,
    "data_loss": 500,
    "unauthenticated": 401,
}  # code -> HTTP status (Connect protocol, "Error codes")
OWN = {
    Reason.UNREADABLE_REQUEST: "invalid_argument",
    Reason.SLOW_REQUEST: "deadline_exceeded",
    Reason.NO_SUCH_METHOD: "unimplemented",
    Reason.BUSY: "resource_exhausted",
    Reason.OUT_OF_TIME: "deadline_exceeded",
    Reason.INTERNAL: "internal",
}  # reasons of the gateway's own errors -> their codes, the same as the server's
RETRY = 1  # seconds after which a client with too many streams or connections may retry


class ConnectError(Exception):
    """A call ends with an error.

    Args:
        code: one of the keys of HTTP.
        message: in English.
        details: error details, in the protocol's JSON form.
        metadata: the trailing metadata.
    """

    def __init__(
        self,
        code: str,
        message: str,
        details: Sequence[dict[str, Any]] = (),
        metadata: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__(message)
        self.code, self.details, self.metadata = code, list(details), list(metadata)

    @property
    def status(self) -> int:
        """The HTTP status of the response."""
        return HTTP[self.code]

    def fields(self) -> dict[str, Any]:
        """Return the error as the protocol's JSON object."""
        fields: dict[str, Any] = {"code": self.code, "message": str(self)}
        return fields | ({"details": self.details} if self.details else {})

    def body(self) -> bytes:
        """Return the error as JSON text."""
        return json.dumps(self.fields()).encode()


class NamesDenied(ConnectError):
    """The server does not let the gateway identify its callers."""


class OwnError(ConnectError):
    """An error of the gateway itself, identical to the server's error for the same reason.

    Args:
        reason: one of the keys of OWN.
        text: the problem.
        details: error details besides the ErrorInfo.
    """

    def __init__(self, reason: Reason, text: str, *details: Message) -> None:
        self.reason = reason
        why = error_details_pb2.ErrorInfo(reason=reason, domain=DOMAIN)
        super().__init__(OWN[reason], text, [packed_detail(one) for one in (why, *details)])

    def localize(self, asked: str) -> None:
        """Add a localized message in the language that an `accept-language` header asks for."""
        language = language_asked(asked)
        text = words_for_users(self.reason, str(self), language)
        self.details.append(packed_detail(error_details_pb2.LocalizedMessage(locale=language, message=text)))


class UnreadableRequest(OwnError):
    """A request cannot be parsed.

    Args:
        text: the problem.
        field: the field of the request; "" for the whole request.
    """

    def __init__(self, text: str, field: str = "") -> None:
        violation = error_details_pb2.BadRequest.FieldViolation(field=field, description=text)
        bad = error_details_pb2.BadRequest(field_violations=[violation])
        super().__init__(Reason.UNREADABLE_REQUEST, f"{field}: {text}" if field else text, bad)


class TooManyOpen(OwnError):
    """Too many streams or connections are open; the client may retry later."""

    def __init__(self, what: str) -> None:
        later = error_details_pb2.RetryInfo(retry_delay=Duration(seconds=RETRY))
        super().__init__(Reason.BUSY, f"too many {what} are open; close some, or try again later", later)


def error_of(error: grpc.aio.AioRpcError) -> ConnectError:
    """Return the error of a call to the server, as an error of the Connect protocol."""
    metadata = list(error.trailing_metadata() or ())
    statuses = [Status.FromString(value) for name, value in metadata if name == DETAILS and isinstance(value, bytes)]
    details = [detail(packed) for status in statuses for packed in status.details]
    denied = any(one.get("debug", {}).get("reason") == Reason.ON_BEHALF_DENIED for one in details)
    kind = NamesDenied if denied else ConnectError
    return kind(code_name(error.code()), error.details() or "", details, texts(metadata))


def code_name(code: grpc.StatusCode) -> str:
    """Return a code as the Connect protocol spells it."""
    return "canceled" if code is grpc.StatusCode.CANCELLED else code.name.lower()


def detail(packed: AnyMessage) -> dict[str, Any]:
    """Return an error detail in the protocol's JSON form; details of google.rpc also get readable fields."""
    kind = packed.TypeName()
    fields = {"type": kind, "value": b64encode(packed.value).decode().rstrip("=")}
    known = getattr(error_details_pb2, kind.removeprefix("google.rpc."), None)
    if known is None:
        return fields
    return fields | {"debug": MessageToDict(known.FromString(packed.value))}


def packed_detail(message: Message) -> dict[str, Any]:
    """Pack a message as an error detail."""
    packed = AnyMessage()
    packed.Pack(message)
    return detail(packed)


def texts(metadata: Sequence[tuple[str, str | bytes]]) -> list[tuple[str, str]]:
    """Return the metadata that browsers can read, without binary values."""
    return [(name, value) for name, value in metadata if isinstance(value, str)]
