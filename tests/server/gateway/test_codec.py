"""Messages of requests and answers: in JSON, in envelopes, and compressed, as sent by official Connect clients."""

import asyncio
import gzip
import json
import re
import threading
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from clerestory.server.gateway import codec
from clerestory.server.gateway.codec import LARGE, Codec, Reader, message_of
from clerestory.server.gateway.config import MAX_BODY_BYTES
from clerestory.server.gateway.errors import UnreadableRequest
from clerestory.server.gateway.methods import Method, methods
from clerestory.server.rpc.translate import read_position
from clerestory.v1.advisor_pb2 import AnalyzeRequest
from clerestory.v1.rules_pb2 import StartPositionRequest
from tests.position_forms import ACCEPTED, MESSAGE, REFUSED, VIEW
from tests.server.gateway.harness import JSON, LIST, RULES, STREAM, Caller, enveloped, error_of, gateway
from tests.server.rpc.harness import question, until

START = RULES + "StartPosition"
IN_JSON = Codec(json=True, streams=False)
EMPTY = gzip.compress(b"", mtime=0)
BOMB = gzip.compress(bytes(MAX_BODY_BYTES * 100))


def games(count: int) -> Any:
    return methods()[LIST].response(games=[{"name": f"game {number}"} for number in range(count)])


@pytest.mark.parametrize("count", [1, 5000])
async def test_a_message_is_the_same_json_and_a_large_one_is_converted_in_a_thread(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads, convert, message = list[threading.Thread](), codec.to_json, games(count)

    def noted(*arguments: Any) -> bytes:
        threads.append(threading.current_thread())
        return convert(*arguments)

    monkeypatch.setattr(codec, "to_json", noted)
    written = await IN_JSON.response(methods()[LIST], message.SerializeToString())
    assert written.decode() == json.dumps(MessageToDict(message, preserving_proto_field_name=True))
    assert [thread is threading.main_thread() for thread in threads] == [count == 1]
    assert (len(message.SerializeToString()) > LARGE) == (count > 1)


async def test_a_compressed_request_is_answered_like_the_plain_one(caller: Caller) -> None:
    plain = StartPositionRequest(game="duel", seats=2, seed=5).SerializeToString()
    fields = json.dumps({"game": "duel", "seats": 2, "seed": "5"}).encode()
    expected = await caller.call(START, plain)
    for encoding, body in (("gzip", gzip.compress(plain)), ("GZip", gzip.compress(plain)), ("identity", plain)):
        answer = await caller.call(START, body, content_encoding=encoding)
        assert (answer.status, answer.body) == (200, expected.body)
    kind = {"content_type": "application/json", "content_encoding": "gzip"}
    assert (await caller.call(START, gzip.compress(fields), **kind)).fields["seed"] == "5"
    assert (await caller.call(LIST, b"", content_encoding="gzip")).status == 200  # empty, and not compressed


@pytest.mark.parametrize("compressed", [True, False])
async def test_a_stream_may_ask_for_compression_and_use_it_or_not(caller: Caller, compressed: bool) -> None:
    asked = AnalyzeRequest(question=question(iterations=50)).SerializeToString()
    body = enveloped(gzip.compress(asked), 1) if compressed else enveloped(asked)
    sent = await caller.stream(body, connect_content_encoding="gzip")
    assert len(sent) > 1
    assert sent[-1] == (2, b"{}")


@pytest.mark.parametrize(
    ("encoding", "body", "code", "says"),
    [
        ("br", b"x", "unimplemented", "gzip"),
        ("gzip", b"not gzip", "invalid_argument", "not compressed by gzip"),
        ("gzip", EMPTY[:-1], "invalid_argument", "one whole piece"),
        ("gzip", EMPTY * 2, "invalid_argument", "one whole piece"),
        ("gzip", BOMB, "invalid_argument", "decompressed"),
    ],
    ids=["unknown", "other bytes", "cut off", "two pieces", "bomb"],
)
async def test_bad_compression_is_rejected(caller: Caller, encoding: str, body: bytes, code: str, says: str) -> None:
    assert len(body) < MAX_BODY_BYTES
    answer = await caller.call(START, body, content_encoding=encoding)
    stream = await caller.stream(enveloped(body, 1), content_type=STREAM, connect_content_encoding=encoding)
    for error in (answer.fields, error_of(stream)):
        assert error["code"] == code
        assert says in error["message"]


async def test_a_compressed_envelope_needs_the_name_of_its_encoding(caller: Caller) -> None:
    assert error_of(await caller.stream(enveloped(EMPTY, 1)))["code"] == "invalid_argument"


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("body", [b"{", b"null", b'{"seats": "x"}'])
async def test_the_error_is_that_of_a_message_in_binary(caller: Caller, body: bytes, language: str) -> None:
    """With its reason, the field, and a user message in the requested language."""
    answer = await caller.ask("POST", RULES + "StartPosition", body, content_type=JSON, accept_language=language)
    binary = await caller.call(RULES + "StartPosition", b"\xff\xff", accept_language=language)
    assert (answer.status, answer.fields["code"]) == (400, "invalid_argument")
    why, bad, told = answer.fields["details"]
    wanted = {detail["type"]: detail["debug"] for detail in binary.fields["details"]}
    assert why["debug"] == wanted["google.rpc.ErrorInfo"]
    assert told["debug"] == wanted["google.rpc.LocalizedMessage"]
    [violation] = bad["debug"]["fieldViolations"]
    assert answer.fields["message"].endswith(violation["description"])
    assert violation.get("field", "") == ("seats" if b"seats" in body else "")


ASK = methods()["/clerestory.v1.AdvisorService/RecommendMove"]


@pytest.mark.parametrize("written", ACCEPTED.values(), ids=ACCEPTED)
def test_every_form_of_a_position_file_is_read(written: str) -> None:
    read = ASK.request.FromString(message_of(ASK, f'{{"position": {written}}}'.encode()))
    assert read_position(read.position) == VIEW
    read.position.ClearField("schema")  # which the server ignores
    assert read.position == MESSAGE


@pytest.mark.parametrize(("written", "field"), REFUSED.values(), ids=REFUSED)
def test_other_forms_are_rejected_with_the_field(written: str, field: str) -> None:
    with pytest.raises(UnreadableRequest, match=f"^{re.escape(f'position.{field}')}: "):
        message_of(ASK, f'{{"position": {written}}}'.encode())


CREATE = methods()["/clerestory.v1.GameService/CreateGame"]
PADDED = b" " * LARGE


class SlowReading:
    """Replaces the JSON parser; blocks each call until `go_on` is set, and records what was begun, and where."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.read: list[bytes] = []
        self.threads: set[threading.Thread] = set()
        self.go_on = threading.Event()
        monkeypatch.setattr(codec, "message_of", self._message)

    def _message(self, _: Method, payload: bytes) -> bytes:
        self.read.append(payload.strip())
        self.threads.add(threading.current_thread())
        assert self.go_on.wait(600)
        return payload.strip()


async def test_one_is_read_at_a_time_in_a_thread_of_each_address_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, reader = SlowReading(monkeypatch), Reader()
    asked = [("a", b"1"), ("a", b"2"), ("a", b"3"), ("b", b"4"), ("c", b"5")]
    readings = [asyncio.ensure_future(reader.read(IN_JSON, CREATE, text + PADDED, address)) for address, text in asked]
    await until(lambda: slow.read == [b"1"])
    assert await reader.read(Codec(json=False, streams=False), CREATE, PADDED, "d") == PADDED  # waits for none of them
    assert slow.read == [b"1"]
    slow.go_on.set()
    assert await asyncio.gather(*readings) == [text for _, text in asked]
    assert slow.read == [b"1", b"2", b"4", b"5", b"3"]
    assert len(slow.threads - {threading.main_thread()}) == len(slow.threads) == 1


async def test_a_request_is_given_up_when_its_connection_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def read(*_: object) -> bytes:
        begun.set()
        try:
            return await asyncio.Future[bytes]()
        finally:
            ended.set()

    monkeypatch.setattr(Reader, "read", read)
    async with gateway() as caller:
        async with caller.sent("POST", RULES + "StartPosition", b"{}", {"content-type": JSON}):
            await begun.wait()
        await ended.wait()
