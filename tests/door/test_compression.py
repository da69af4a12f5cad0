"""Requests that are compressed, as official clients of Connect send them without being told to."""

import gzip
import json

import pytest

from clerestory.door.config import MAX_BODY_BYTES
from clerestory.v1.advisor_pb2 import AnalyzeRequest
from clerestory.v1.rules_pb2 import StartPositionRequest
from tests.door.harness import ADVICE, RULES, Caller, enveloped, parts
from tests.server.harness import question

START, ANALYZE = RULES + "StartPosition", ADVICE + "Analyze"
STREAM = "application/connect+proto"
EMPTY = gzip.compress(b"", mtime=0)
BOMB = gzip.compress(bytes(MAX_BODY_BYTES * 100))


async def test_a_compressed_request_is_answered_like_the_plain_one(caller: Caller) -> None:
    plain = StartPositionRequest(game="duel", seats=2, seed=5).SerializeToString()
    fields = json.dumps({"game": "duel", "seats": 2, "seed": "5"}).encode()
    expected = await caller.call(START, plain)
    for encoding, body in (("gzip", gzip.compress(plain)), ("GZip", gzip.compress(plain)), ("identity", plain)):
        answer = await caller.call(START, body, content_encoding=encoding)
        assert (answer.status, answer.body) == (200, expected.body)
    kind = {"content_type": "application/json", "content_encoding": "gzip"}
    assert (await caller.call(START, gzip.compress(fields), **kind)).fields["seed"] == "5"


async def test_an_empty_message_need_not_be_compressed(caller: Caller) -> None:
    answer = await caller.call(RULES + "ListGames", b"", content_encoding="gzip")
    assert answer.status == 200


@pytest.mark.parametrize("compressed", [True, False])
async def test_a_stream_may_ask_for_compression_and_use_it_or_not(caller: Caller, compressed: bool) -> None:
    asked = AnalyzeRequest(question=question(iterations=50)).SerializeToString()
    body = enveloped(gzip.compress(asked), 1) if compressed else enveloped(asked)
    answer = await caller.ask("POST", ANALYZE, body, content_type=STREAM, connect_content_encoding="gzip")
    sent = parts(answer.body)
    assert len(sent) > 1
    assert json.loads(sent[-1][1]) == {}


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
async def test_what_cannot_be_unpacked_is_refused(
    caller: Caller, encoding: str, body: bytes, code: str, says: str
) -> None:
    answer = await caller.call(START, body, content_encoding=encoding)
    kind = {"content_type": STREAM, "connect_content_encoding": encoding}
    stream = await caller.ask("POST", ANALYZE, enveloped(body, 1), **kind)
    for error in (answer.fields, json.loads(parts(stream.body)[-1][1])["error"]):
        assert error["code"] == code
        assert says in error["message"]


async def test_an_envelope_that_is_compressed_says_by_what(caller: Caller) -> None:
    answer = await caller.ask("POST", ANALYZE, enveloped(EMPTY, 1), content_type=STREAM)
    assert json.loads(parts(answer.body)[0][1])["error"]["code"] == "invalid_argument"


def test_the_bomb_is_small_enough_to_be_let_in() -> None:
    assert len(BOMB) < MAX_BODY_BYTES
