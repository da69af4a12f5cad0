"""Errors as the Connect protocol writes them."""

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

from clerestory.metadata import DETAILS
from clerestory.refusals import Reason
from clerestory.refused import DOMAIN, words_for_users
from clerestory.texts.languages import language_asked

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
}  # code -> status of the HTTP answer (Connect protocol, "Error codes")
OWN = {
    Reason.UNREADABLE_REQUEST: "invalid_argument",
    Reason.SLOW_REQUEST: "deadline_exceeded",
    Reason.BUSY: "resource_exhausted",
    Reason.OUT_OF_TIME: "deadline_exceeded",
    Reason.INTERNAL: "internal",
}  # reasons of the door itself -> their codes, which are those of the server
RETRY = 1  # seconds after which a call of a caller with too many streams may be tried again


class ConnectError(Exception):
    """A call ends with an error.

    Args:
        code: one of HTTP.
        message: in English.
        details: messages that say more, as the protocol writes them.
        metadata: that came with it.
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
        """The status of the HTTP answer."""
        return HTTP[self.code]

    def fields(self) -> dict[str, Any]:
        """Return the error as the protocol's JSON object."""
        fields: dict[str, Any] = {"code": self.code, "message": str(self)}
        return fields | ({"details": self.details} if self.details else {})

    def body(self) -> bytes:
        """Return the same as JSON text."""
        return json.dumps(self.fields()).encode()


class NamesDenied(ConnectError):
    """The server does not let the door name its callers."""


class OwnError(ConnectError):
    """The door itself refuses a call: the error that the server has for the same reason.

    Args:
        reason: why, one of OWN.
        text: what is wrong.
        details: besides the reason.
    """

    def __init__(self, reason: Reason, text: str, *details: Message) -> None:
        self.reason = reason
        why = error_details_pb2.ErrorInfo(reason=reason, domain=DOMAIN)
        super().__init__(OWN[reason], text, [told(one) for one in (why, *details)])

    def tell_in(self, asked: str) -> None:
        """Add what the user is told in the language that an `accept-language` asks for."""
        language = language_asked(asked)
        text = words_for_users(self.reason, str(self), language)
        self.details.append(told(error_details_pb2.LocalizedMessage(locale=language, message=text)))


class UnreadableRequest(OwnError):
    """A request is not that of its method.

    Args:
        text: what is wrong.
        field: of the request; "" for the whole.
    """

    def __init__(self, text: str, field: str = "") -> None:
        violation = error_details_pb2.BadRequest.FieldViolation(field=field, description=text)
        bad = error_details_pb2.BadRequest(field_violations=[violation])
        super().__init__(Reason.UNREADABLE_REQUEST, f"{field}: {text}" if field else text, bad)


class TooManyStreams(OwnError):
    """A caller has more streams open than it may have, and may try again later."""

    def __init__(self) -> None:
        later = error_details_pb2.RetryInfo(retry_delay=Duration(seconds=RETRY))
        super().__init__(Reason.BUSY, "too many streams are open; close some, or try again later", later)


def error_of(error: grpc.aio.AioRpcError) -> ConnectError:
    """Return the error in which a call to the server ended."""
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
    """Return a detail of an error; if it is one of google.rpc's, with its fields for callers without its class."""
    kind = packed.TypeName()
    fields = {"type": kind, "value": b64encode(packed.value).decode().rstrip("=")}
    known = getattr(error_details_pb2, kind.removeprefix("google.rpc."), None)
    if known is None:
        return fields
    return fields | {"debug": MessageToDict(known.FromString(packed.value))}


def told(message: Message) -> dict[str, Any]:
    """Return a message as a detail of an error."""
    packed = AnyMessage()
    packed.Pack(message)
    return detail(packed)


def texts(metadata: Sequence[tuple[str, str | bytes]]) -> list[tuple[str, str]]:
    """Return the metadata that a browser can read."""
    return [(name, value) for name, value in metadata if isinstance(value, str)]
