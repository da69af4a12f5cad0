"""Calls of browsers get the same answers as gRPC callers."""

import json
from base64 import b64decode

import grpc
import pytest
from google.protobuf.json_format import MessageToDict
from google.rpc.error_details_pb2 import ErrorInfo

from clerestory.i18n import say
from clerestory.server.gateway.errors import HTTP, OWN, code_name
from clerestory.server.gateway.methods import methods
from clerestory.server.rpc.errors import CODES
from clerestory.v1.advisor_pb2 import WARNING_REASON_TIME_CUT, AnalyzeRequest, RecommendMoveResponse
from clerestory.v1.rules_pb2 import StartPositionRequest
from tests.server.gateway.harness import (
    ADVICE,
    ANALYZE,
    JSON,
    LIST,
    RULES,
    Caller,
    analysis,
    enveloped,
    error_of,
    gateway,
    reason_of,
)
from tests.server.rpc.harness import HOUR, long_question, question

START = RULES + "StartPosition"


async def test_an_answer_is_that_of_grpc_in_binary_and_in_json() -> None:
    asked = StartPositionRequest(game="duel", seats=2, seed=5)
    async with gateway() as caller:
        binary = await caller.call(START, asked.SerializeToString(), x_request_id="seven")
        written = await caller.call(START, {"game": "duel", "seats": 2, "seed": "5"})
        direct = await caller.server.rules.StartPosition(asked)
    assert (binary.status, binary.headers["content-type"]) == (200, "application/proto")
    assert binary.headers["trailer-x-request-id"] == "seven"
    assert binary.body == direct.SerializeToString()
    assert written.fields == MessageToDict(direct, preserving_proto_field_name=True)
    assert "rules_revision" in written.fields["referee"]["truth"]  # as in position files


async def test_a_browser_is_answered_in_its_language(caller: Caller) -> None:
    started = await caller.call(START, {"game": "cathedral", "seats": 2, "seed": "5"})
    asked = {"position": {"referee": started.fields["referee"]}}
    answers = [
        await caller.call(RULES + "ListActions", asked, accept_language=header) for header in ("en", "de-DE,en;q=0.8")
    ]
    assert [answer.headers["content-language"] for answer in answers] == ["en", "de"]
    labels = [answer.fields["actions"][0]["action"]["label"] for answer in answers]
    assert labels[0].endswith(" is turned up at Kingsbridge")
    assert labels[1].startswith("In Kingsbridge wird aufgedeckt: ")


def test_every_method_of_the_services_can_be_called() -> None:
    names = {path.rpartition("/")[2] for path in methods()}
    assert {"RecommendMove", "Analyze", "ListActions", "DescribeCatalogue", "WatchGame", "PlayAction"} <= names
    assert methods()[ANALYZE].streams
    assert not methods()[LIST].streams


async def test_a_stream_in_json(caller: Caller) -> None:
    asked = MessageToDict(AnalyzeRequest(question=question(iterations=50)))
    *tables, end = await caller.stream(enveloped(json.dumps(asked).encode()), content_type="application/connect+json")
    assert json.loads(tables[-1][1])["final"] is True
    assert end == (2, b"{}")


async def test_the_deadline_of_a_call_goes_on_to_the_server() -> None:
    asked = question(time_budget=HOUR, iterations=10).SerializeToString()
    async with gateway(max_time=3600.0) as caller:
        answers = [
            await caller.call(ADVICE + "RecommendMove", asked, **headers)
            for headers in ({}, {"connect_timeout_ms": "1200000"})
        ]
    warnings = [
        [warning.reason for warning in RecommendMoveResponse.FromString(answer.body).warnings] for answer in answers
    ]
    assert [WARNING_REASON_TIME_CUT in reasons for reasons in warnings] == [False, True]


async def test_an_error_has_its_code_its_english_and_its_details(caller: Caller) -> None:
    answer = await caller.call(START, StartPositionRequest(game="chess", seats=2).SerializeToString())
    assert (answer.status, answer.headers["content-type"]) == (400, JSON)
    assert answer.fields["code"] == "invalid_argument"
    assert answer.fields["message"].startswith("game: 'chess' is not one of")
    first = answer.fields["details"][0]
    assert first["type"] == "google.rpc.ErrorInfo"
    assert ErrorInfo.FromString(b64decode(first["value"] + "==")).reason == "BAD_GAME"
    assert first["debug"] == {"reason": "BAD_GAME", "domain": "clerestory"}


async def test_an_error_of_a_stream_is_its_end(caller: Caller) -> None:
    [(flags, end)] = await caller.stream(analysis())
    assert flags == 2
    assert json.loads(end)["error"]["code"] == "invalid_argument"
    assert len(json.loads(end)["metadata"]["x-request-id"]) == 1


@pytest.mark.parametrize("timeout", ["soon", "-1", "12345678901", ""])
async def test_an_invalid_deadline_is_rejected(caller: Caller, timeout: str) -> None:
    answer = await caller.call(LIST, b"", connect_timeout_ms=timeout, accept_language="de")
    assert (answer.status, answer.fields["code"]) == (400, "invalid_argument")
    assert reason_of(answer.fields) == "UNREADABLE_REQUEST"
    assert answer.fields["details"][-1]["debug"]["message"].startswith("Der Server versteht die Anfrage nicht.")


@pytest.mark.parametrize("content_type", ["application/json", "application/connect+json"])
async def test_a_deadline_that_came_before_the_answer_has_its_reason(content_type: str) -> None:
    asked = MessageToDict(long_question())  # which does not end otherwise
    fields = {"question": asked} if "connect" in content_type else asked
    method, body = ADVICE + ("Analyze" if "connect" in content_type else "RecommendMove"), json.dumps(fields).encode()
    sent = enveloped(body) if "connect" in content_type else body
    async with gateway() as caller:
        answer = await caller.call(
            method, sent, content_type=content_type, connect_timeout_ms="0", accept_language="de"
        )
    assert b"deadline_exceeded" in answer.body
    assert b"OUT_OF_TIME" in answer.body
    assert say("errors", "OUT_OF_TIME", language="de").encode() in answer.body


@pytest.mark.parametrize(
    ("body", "code"),
    [(b"", "invalid_argument"), (b"\0\0\0\0\5x", "invalid_argument"), (b"\4\0\0\0\0", "unimplemented")],
)
async def test_an_invalid_envelope_is_rejected(caller: Caller, body: bytes, code: str) -> None:
    assert error_of(await caller.stream(body))["code"] == code


def test_the_reasons_of_the_gateway_have_the_codes_of_the_server() -> None:
    assert {reason: code_name(CODES[reason]) for reason in OWN} == OWN


def test_codes_are_spelt_as_in_the_protocol() -> None:
    assert {code_name(code) for code in grpc.StatusCode} - {"ok"} == set(HTTP)
