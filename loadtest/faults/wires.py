"""The interfaces of a server: gRPC, and its page with bytes or JSON."""

import http.client
import json
import struct
from dataclasses import dataclass
from typing import Any

import grpc

from clerestory.clients.errors import error_of
from clerestory.server.gateway.methods import Method

ENVELOPE = struct.Struct(">BI")
SECONDS = 200.0  # seconds for an answer: far longer than any request takes
LISTEN = 0.2  # seconds after which a stream is left
CLIENT = [("grpc.enable_retries", 0), ("grpc.use_local_subchannel_pool", 1), ("grpc.max_send_message_length", -1)]
Metadata = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Ending:
    """How a call ended."""

    code: str  # gRPC code in lower case, "ok" for an answer, "http ..." for an error without a code
    reason: str = ""  # of its ErrorInfo
    text: str = ""  # of the error
    answer: bytes = b""  # the first part of the answer


def over_grpc(channel: Any, method: Method, payload: bytes, metadata: Metadata, listen: float = LISTEN) -> Ending:
    """Send bytes as the request of a method; leave a stream after some seconds."""
    try:
        if method.streams:
            return listened(channel.unary_stream(method.path)(payload, timeout=listen, metadata=metadata))
        return Ending("ok", answer=channel.unary_unary(method.path)(payload, timeout=SECONDS, metadata=metadata))
    except grpc.RpcError as error:
        return grpc_ending(error)


def listened(stream: Any) -> Ending:
    """Return how a stream ended, or that it was left."""
    parts: list[bytes] = []
    try:
        parts.extend(stream)
    except grpc.RpcError as error:
        ending = grpc_ending(error)
        if ending.code != "deadline_exceeded":
            return ending
    return Ending("ok", answer=parts[0]) if parts else Ending("left")


def grpc_ending(error: Any) -> Ending:
    return Ending(error.code().name.lower(), error_of(error).reason, error.details() or "")


def over_page(page: str, method: Method, payload: bytes, metadata: Metadata, *, as_json: bool) -> Ending:
    """Send bytes to the page, as a browser does."""
    kind = f"{'connect+' if method.streams else ''}{'json' if as_json else 'proto'}"
    body = ENVELOPE.pack(0, len(payload)) + payload if method.streams else payload
    connection = http.client.HTTPConnection(page, timeout=SECONDS)
    try:
        connection.request("POST", method.path, body, {"content-type": f"application/{kind}", **dict(metadata)})
        response = connection.getresponse()
        return page_stream(response) if method.streams else page_answer(response)
    except http.client.IncompleteRead as error:
        return Ending("http cut", text=repr(error))
    except ConnectionError:
        return Ending("closed")  # a body beyond the limit is not read to its end
    except TimeoutError:
        return Ending("deadline_exceeded")
    finally:
        connection.close()


def page_answer(response: http.client.HTTPResponse) -> Ending:
    body = response.read()
    return Ending("ok", answer=body) if response.status == 200 else page_ending(response.status, body)


def page_stream(response: http.client.HTTPResponse) -> Ending:
    """Return how a stream ended, or that it began well."""
    if response.status != 200:
        return page_ending(response.status, response.read())
    flags, length = ENVELOPE.unpack(response.read(ENVELOPE.size))
    part = response.read(length)
    if not flags & 2:
        return Ending("ok", answer=part)
    error = json.loads(part).get("error")
    return Ending("ok") if error is None else fields_ending(error)


def page_ending(status: int, body: bytes) -> Ending:
    try:
        return fields_ending(json.loads(body))
    except (ValueError, KeyError):
        return Ending(f"http {status}", text=body.decode(errors="replace"))


def fields_ending(error: Any) -> Ending:
    reasons = [one["debug"]["reason"] for one in error.get("details", ()) if "reason" in one.get("debug", ())]
    return Ending(error["code"], reasons[0] if reasons else "", json.dumps(error))
