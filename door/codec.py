"""The encoding of messages: binary or JSON, bare or in envelopes."""

import asyncio
import json
import struct
from collections.abc import Callable
from dataclasses import dataclass

from google.protobuf.json_format import MessageToDict, Parse, ParseError
from google.protobuf.message import DecodeError

from clerestory.door.errors import ConnectError
from clerestory.door.methods import Method

ENVELOPE = struct.Struct(">BI")  # flags, length of the payload
END = 0x02  # flag of the envelope that ends a stream
LARGE = 8 * 1024  # bytes; less is converted sooner than a thread begins
JSON = json.JSONEncoder()  # whose pieces are made in Python, which lets other threads run; `dumps` is one step in C


@dataclass(frozen=True, slots=True)
class Codec:
    """The encoding of the messages of one call.

    Attributes:
        json: as JSON, otherwise in binary.
        streams: in envelopes.
    """

    json: bool
    streams: bool

    @property
    def content_type(self) -> str:
        """The media type of the answer."""
        return f"application/{'connect+' if self.streams else ''}{'json' if self.json else 'proto'}"

    async def request(self, method: Method, body: bytes) -> bytes:
        """Return the message that a body holds. Raises ConnectError."""
        payload = unwrapped(body) if self.streams else body
        return await aside(from_json, method, payload) if self.json else payload

    async def response(self, method: Method, message: bytes) -> bytes:
        """Return a message of the answer, encoded."""
        payload = await aside(to_json, method, message) if self.json else message
        return wrapped(payload) if self.streams else payload


CODECS = {
    codec.content_type: codec for codec in (Codec(json, streams) for json in (False, True) for streams in (False, True))
}


async def aside(convert: Callable[[Method, bytes], bytes], method: Method, data: bytes) -> bytes:
    """Return converted data; what is large is converted in a thread, while the event loop serves others."""
    return convert(method, data) if len(data) <= LARGE else await asyncio.to_thread(convert, method, data)


def wrapped(payload: bytes, flags: int = 0) -> bytes:
    """Return an envelope."""
    return ENVELOPE.pack(flags, len(payload)) + payload


def unwrapped(body: bytes) -> bytes:
    """Return the content of a body that is one envelope. Raises ConnectError."""
    if len(body) < ENVELOPE.size:
        raise ConnectError(
            "invalid_argument",
            f"the body has {len(body)} bytes; a Connect stream begins with an envelope of {ENVELOPE.size}",
        )
    flags, length = ENVELOPE.unpack_from(body)
    if flags:
        raise ConnectError(
            "unimplemented", f"the envelope has the flags {flags}; only 0 is supported: no compression, not the end"
        )
    if length != len(body) - ENVELOPE.size:
        raise ConnectError(
            "invalid_argument",
            f"the envelope says {length} bytes, but {len(body) - ENVELOPE.size} follow; send one message",
        )
    return body[ENVELOPE.size :]


def from_json(method: Method, payload: bytes) -> bytes:
    """Return the message written as JSON text, in binary. Raises ConnectError, which names the field."""
    try:
        return Parse(payload or b"{}", method.request()).SerializeToString()
    except (ParseError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise ConnectError(
            "invalid_argument", f"the request is not valid JSON for this method: {error}"[:500]
        ) from None


def to_json(method: Method, message: bytes) -> bytes:
    """Return a message as JSON text, with the names of proto/, as in position files."""
    try:
        decoded = method.response.FromString(message)
    except DecodeError:
        raise ConnectError("internal", "the server's answer is not a message of this method") from None
    fields = MessageToDict(decoded, preserving_proto_field_name=True)
    return (json.dumps(fields) if len(message) <= LARGE else "".join(JSON.iterencode(fields))).encode()
