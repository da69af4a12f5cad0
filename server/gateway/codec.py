"""Encodes and decodes messages of the Connect protocol: binary or JSON, bare or in envelopes."""

import asyncio
import json
import struct
import zlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError

from clerestory.engine.schemas import range_of
from clerestory.protojson import BadJson, narrowed, parse
from clerestory.server.gateway.config import MAX_BODY_BYTES
from clerestory.server.gateway.errors import ConnectError, OwnError, UnreadableRequest
from clerestory.server.gateway.methods import Method
from clerestory.service_errors import Reason
from clerestory.turns import Turns

ENVELOPE = struct.Struct(">BI")  # flags, payload length
COMPRESSED = 0x01  # flag of an envelope whose payload is compressed
END = 0x02  # flag of the envelope that ends a stream
GZIP = zlib.MAX_WBITS | 16  # zlib's name for the gzip format
LARGE = 8 * 1024  # bytes; starting a thread takes longer than converting a smaller message
JSON = json.JSONEncoder()  # encodes in Python steps, between which other threads run; `dumps` holds the GIL throughout


@dataclass(frozen=True, slots=True)
class Codec:
    """The encoding of the messages of one call.

    Attributes:
        json: whether messages are JSON; otherwise they are binary.
        streams: whether messages are in envelopes.
    """

    json: bool
    streams: bool

    @property
    def content_type(self) -> str:
        """The media type of the response."""
        return f"application/{'connect+' if self.streams else ''}{'json' if self.json else 'proto'}"

    def payload(self, body: bytes, headers: Mapping[str, str]) -> bytes:
        """Return the payload of a body, decompressed as the headers say. Raises ConnectError."""
        named = "connect-content-encoding" if self.streams else "content-encoding"
        compression = headers.get(named, "identity").lower()
        compressed, payload = unwrapped(body) if self.streams else (compression != "identity", body)
        return unpacked(payload, compression) if compressed else payload

    def message(self, method: Method, payload: bytes) -> bytes:
        """Return the request message in binary form. Raises ConnectError."""
        return message_of(method, payload) if self.json else payload

    async def response(self, method: Method, message: bytes) -> bytes:
        """Return an encoded message of the response."""
        payload = await self._encoded(method, message) if self.json else message
        return wrapped(payload) if self.streams else payload

    async def _encoded(self, method: Method, message: bytes) -> bytes:
        """Return a message as JSON; encode a large one in a thread, so that the event loop can serve other calls."""
        return to_json(method, message) if len(message) <= LARGE else await asyncio.to_thread(to_json, method, message)


CODECS = {
    codec.content_type: codec for codec in (Codec(json, streams) for json in (False, True) for streams in (False, True))
}


def wrapped(payload: bytes, flags: int = 0) -> bytes:
    """Return an envelope."""
    return ENVELOPE.pack(flags, len(payload)) + payload


def unwrapped(body: bytes) -> tuple[bool, bytes]:
    """Return the compression flag and the payload of a body that is one envelope. Raises ConnectError."""
    if len(body) < ENVELOPE.size:
        raise UnreadableRequest(
            f"the body has {len(body)} bytes; a Connect stream begins with an envelope of {ENVELOPE.size}",
        )
    flags, length = ENVELOPE.unpack_from(body)
    if flags not in (0, COMPRESSED):
        raise ConnectError("unimplemented", f"the envelope has the flags {flags}; only 0 and 1 are supported")
    if length != len(body) - ENVELOPE.size:
        raise UnreadableRequest(
            f"the envelope says {length} bytes, but {len(body) - ENVELOPE.size} follow; send one message",
        )
    return flags == COMPRESSED, body[ENVELOPE.size :]


def unpacked(payload: bytes, compression: str) -> bytes:
    """Return a payload decompressed, up to the maximum body size. Raises ConnectError."""
    if compression == "identity":
        raise UnreadableRequest("the envelope is compressed, but no header says how")
    if compression != "gzip":
        raise ConnectError("unimplemented", f"the compression {compression[:20]!r} is not supported; gzip is")
    if not payload:
        return payload  # an empty message need not be compressed
    unpacker = zlib.decompressobj(GZIP)
    try:
        message = unpacker.decompress(payload, MAX_BODY_BYTES + 1)
    except zlib.error:
        raise UnreadableRequest("the request is not compressed by gzip, as its header says") from None
    if len(message) > MAX_BODY_BYTES:
        raise UnreadableRequest(f"the body has more than {MAX_BODY_BYTES >> 10} KiB, decompressed")
    if not unpacker.eof or unpacker.unused_data:
        raise UnreadableRequest("the request is not one whole piece of gzip")
    return message


def message_of(method: Method, payload: bytes) -> bytes:
    """Return a JSON request in binary form. Raises UnreadableRequest, which names the field."""
    try:
        return parse(method.request(), payload or b"{}").SerializeToString()
    except BadJson as error:
        [(field, text)] = narrowed(error.faults[:1], range_of)
        raise UnreadableRequest(text if field else f"the request {text}", field) from None


def to_json(method: Method, message: bytes) -> bytes:
    """Return a message as JSON with the field names of proto/. Raises OwnError with INTERNAL."""
    try:
        decoded = method.response.FromString(message)
    except DecodeError:
        raise OwnError(Reason.INTERNAL, "the server's answer is not a message of this method") from None
    fields = MessageToDict(decoded, preserving_proto_field_name=True)
    return (json.dumps(fields) if len(message) <= LARGE else "".join(JSON.iterencode(fields))).encode()


class Reader:
    """Decodes requests; long JSON is decoded in one thread, which takes the addresses in turn.

    64 KiB of JSON can take a quarter of a second of CPU time, before the server checks the caller's token. In the
    thread, it blocks no response, and a request of another address waits for at most one of this address.
    """

    def __init__(self) -> None:
        self._turns = Turns()
        self._thread = ThreadPoolExecutor(1, "requests")

    async def read(self, codec: Codec, method: Method, payload: bytes, address: str) -> bytes:
        """Return the message in a payload. Raises ConnectError.

        Args:
            codec: the encoding of the call.
            method: the method of the call.
            payload: the decompressed payload.
            address: the client's network.
        """
        if not codec.json or len(payload) <= LARGE:
            return codec.message(method, payload)
        async with self._turns.taken(address):
            return await asyncio.get_running_loop().run_in_executor(self._thread, codec.message, method, payload)
