"""Calls of browsers: their callers and limits, their answers, and how they end."""

import asyncio
import json
from base64 import b64decode
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.json_format import MessageToDict
from google.rpc.error_details_pb2 import ErrorInfo

from clerestory.clients.connection import Connection, dial
from clerestory.i18n import say
from clerestory.server.gateway.bridge import MAX_STREAMS, MAX_STREAMS_INSIDE, SERVER_GONE
from clerestory.server.gateway.config import GatewaySettings
from clerestory.server.gateway.errors import HTTP, OWN, code_name
from clerestory.server.gateway.methods import methods
from clerestory.server.gateway.serve import opened
from clerestory.server.rpc import admission
from clerestory.server.rpc.errors import CODES
from clerestory.v1 import advisor_pb2 as api
from clerestory.v1.rules_pb2 import StartPositionRequest
from tests.server.gateway.harness import (
    ADVICE,
    ANALYZE,
    JSON,
    LIST,
    PROTO,
    RULES,
    Caller,
    address_of,
    analysis,
    enveloped,
    error_of,
    gateway,
    parts,
    read_head,
    reason_of,
    unchunked,
)
from tests.server.rpc.harness import HOUR, Served, logged, long_question, question, served, until

END = (2, b"{}")  # of a stream without an error
GONE = {"code": "unavailable", "message": SERVER_GONE}


async def test_a_stream_begins_while_the_search_goes_on_and_ends_with_it(own: Caller) -> None:
    async with own.streaming() as reader:
        assert (await read_head(reader))[0] == 200
        assert await reader.read(1)
        assert own.server.app.scheduler.admitted == 1
    await until(lambda: own.server.app.scheduler.admitted == 0)


async def test_a_caller_who_hangs_up_ends_the_search(own: Caller) -> None:
    asked = long_question().SerializeToString()
    async with own.sent("POST", ADVICE + "RecommendMove", asked, {"content-type": PROTO}):
        await until(lambda: own.server.app.scheduler.running == 1)
    await until(lambda: own.server.app.scheduler.admitted == 0)


async def test_streams_of_one_caller_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.server.gateway.bridge.MAX_STREAMS_EACH", 1)
    short = analysis(iterations=10)
    async with gateway() as caller:
        async with caller.streaming():
            await until(lambda: caller.server.app.scheduler.admitted == 1)
            error = error_of(await caller.stream(short))
            assert (await caller.stream(short, x_clerestory_seat="a b"))[-1] == END
        await until(lambda: caller.server.app.scheduler.admitted == 0)
        assert (await caller.stream(short))[-1] == END
    assert (error["code"], reason_of(error)) == ("resource_exhausted", "BUSY")
    assert error["details"][1]["debug"] == {"retryDelay": "1s"}


@pytest.mark.parametrize(
    ("most", "calls"), [(MAX_STREAMS, admission.STREAMS), (MAX_STREAMS_INSIDE, admission.STREAMS_INSIDE)]
)
def test_all_streams_together_leave_room_for_other_calls(most: int, calls: int) -> None:
    assert most <= 0.8 * calls


async def test_streams_of_one_address_are_bounded_whatever_tokens_and_seats_it_shows() -> None:
    async with gateway(streams=4) as caller, AsyncExitStack() as around:
        for number in range(2):
            headers = {"authorization": f"Bearer {number}", "x-clerestory-seat": f"a {number}"}
            await around.enter_async_context(caller.streaming(headers=headers))
        await until(lambda: caller.server.app.scheduler.admitted == 2)
        refused = await caller.stream(analysis(iterations=10), authorization="Bearer 2", x_clerestory_seat="a 2")
    assert error_of(refused)["code"] == "resource_exhausted"


SECRET = "open-sesame-and-close"
FORWARDED = {"x_forwarded_for": "198.51.100.1, 203.0.113.9"}
PROXY = ("127.0.0.1",)
LABELS = [  # the proxies, whether tokens are required, the browser's headers, and the caller in the log
    ((), False, {}, "peer:127.0.0.1/127.0.0.1"),
    (PROXY, False, {}, "peer:127.0.0.1/203.0.113.9"),
    (PROXY, False, {"authorization": "Bearer made-up"}, "peer:127.0.0.1/203.0.113.9"),
    (PROXY, True, {"authorization": "Bearer made-up"}, "peer:127.0.0.1/203.0.113.9"),
    (PROXY, True, {"authorization": f"Bearer {SECRET}"}, f"token:{sha256(SECRET.encode()).hexdigest()[:8]}"),
]


@pytest.mark.parametrize(("proxies", "required", "brought", "label"), LABELS)
async def test_a_browser_is_its_address_or_its_token(
    tmp_path: Path, proxies: tuple[str, ...], required: bool, brought: dict[str, str], label: str
) -> None:
    (tmp_path / "tokens").write_text(SECRET)
    with logged("json") as log:
        async with gateway(proxies=proxies, token_file=tmp_path / "tokens" if required else None) as caller:
            answer = await caller.call(LIST, b"", **FORWARDED, **brought)
    assert (answer.status == 401) == (required and label.startswith("peer"))
    assert [json.loads(line)["caller"] for line in log.getvalue().splitlines()] == [label]


async def test_a_gateway_that_seems_elsewhere_to_its_server_names_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """For example, a server in a container sees the address of a bridge."""
    monkeypatch.setattr("clerestory.server.rpc.callers.NEAR", ())
    async with gateway() as caller:
        streams = [caller.stream(analysis(iterations=10)) for _ in range(2)]
        *ended, answer = await asyncio.gather(*streams, caller.call(LIST, b""))
        assert [stream[-1] for stream in ended] == [END] * 2
        assert (await caller.call(LIST, b"")).status == answer.status == 200
        count = caller.server.app.metrics.registry.get_sample_value
    denied = {"code": "PERMISSION_DENIED", "reason": "ON_BEHALF_DENIED", "via": "web"}
    assert count("clerestory_calls_total", {"method": "RulesService/ListGames"} | denied) == 1


@pytest.mark.parametrize(("target", "named"), [("127.0.0.1:%d", ("127.0.0.1",)), ("ipv4:127.0.0.1:%d,10.0.0.2:9", ())])
async def test_only_a_server_on_this_machine_learns_addresses(target: str, named: tuple[str, ...]) -> None:
    asked: list[tuple[str, ...]] = []

    async def listed(_: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        metadata = context.invocation_metadata() or ()
        asked.append(tuple(str(value) for name, value in metadata if name == "x-on-behalf-of"))
        return b""

    server = grpc.aio.server()
    handler = grpc.unary_unary_rpc_method_handler(listed)
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler("clerestory.v1.RulesService", {"ListGames": handler})]
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with opened(GatewaySettings("127.0.0.1:0"), dial(target % port, None, None, retries=False)) as web:
        caller = Caller(*address_of(web.url), server=None)  # type: ignore[arg-type]
        for headers in ({}, {"x_on_behalf_of": "somebody-else"}, {"authorization": f"Bearer {SECRET}"}):
            await caller.call(LIST, b"", **headers)
    await server.stop(None)
    assert asked == [named] * 3


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("authorization", "\u00e9", "has characters"),
        ("x_clerestory_seat", "\u00e9", "has characters"),
        ("x_request_id", "\u00e9", "has characters"),
        ("authorization", "a" * 6_200, "is too long"),
        ("x_request_id", "a" * 6_200, "is too long"),
    ],
)
async def test_a_header_that_grpc_cannot_carry_is_rejected(caller: Caller, name: str, value: str, says: str) -> None:
    answer = await caller.call(LIST, b"", **{name: value})
    assert (answer.status, reason_of(answer.fields)) == (400, "UNREADABLE_REQUEST")
    assert answer.fields["message"].startswith(f"{name.replace('_', '-')}: {says}")


async def test_the_longest_headers_are_forwarded(caller: Caller) -> None:
    assert (await caller.call(LIST, b"", authorization="a" * 3_000, x_request_id="a" * 3_144)).status == 200


async def test_the_error_says_that_the_server_is_gone(own: Caller) -> None:
    await own.server.app.servers[0].stop(None)
    answer = await own.call(LIST, b"")
    assert (answer.status, answer.fields) == (503, GONE)


async def test_a_gateway_that_closes_ends_its_calls_by_the_protocol(caplog: pytest.LogCaptureFixture) -> None:
    asked = long_question().SerializeToString()
    async with AsyncExitStack() as around, served() as server:
        settings, there = GatewaySettings("127.0.0.1:0"), dial(server.app.address, None, None, retries=False)
        async with opened(settings, there) as web:
            caller = Caller(*address_of(web.url), server)
            streaming = await around.enter_async_context(caller.streaming())
            unary = caller.sent("POST", ADVICE + "RecommendMove", asked, {"content-type": PROTO})
            asking = await around.enter_async_context(unary)
            await until(lambda: server.app.scheduler.admitted == 2)
        await read_head(streaming)
        assert error_of(parts(unchunked(await streaming.read()))) == GONE
        status, _ = await read_head(asking)
        assert (status, json.loads(await asking.read())) == (503, GONE)
    assert [record for record in caplog.records if record.name.startswith("uvicorn")] == []


@dataclass(frozen=True)
class RecordedConnection:
    connection: Connection
    made: list[grpc.aio.Channel] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    def channel(self, kind: Any) -> Any:
        self.made.append(self.connection.channel(kind))
        return self.made[-1]

    @property
    def closed(self) -> bool:
        [channel] = self.made
        return channel.get_state() is grpc.ChannelConnectivity.SHUTDOWN


async def test_a_replaced_channel_is_closed_when_its_last_call_has_ended(server: Served) -> None:
    unused, first, second = [RecordedConnection(dial(server.app.address, None, None, retries=False)) for _ in range(3)]
    async with opened(GatewaySettings("127.0.0.1:0"), unused) as web:  # type: ignore[arg-type]
        caller = Caller(*address_of(web.url), server)
        assert (await caller.call(LIST, b"")).status == 200
        web.redial(first)  # type: ignore[arg-type]
        await until(lambda: unused.closed)
        async with caller.streaming() as reader:
            await read_head(reader)
            assert await reader.read(1)
            web.redial(second)  # type: ignore[arg-type]
            assert (await caller.call(LIST, b"")).status == 200
            assert await reader.readexactly(10_000)
            assert not first.closed
        await until(lambda: first.closed)
        assert not second.closed
    assert second.closed


START = RULES + "StartPosition"


async def test_an_answer_is_that_of_grpc_in_binary_and_in_json(own: Caller) -> None:
    asked = StartPositionRequest(game="duel", seats=2, seed=5)
    binary = await own.call(START, asked.SerializeToString(), x_request_id="seven")
    written = await own.call(START, {"game": "duel", "seats": 2, "seed": "5"})
    direct = await own.server.rules.StartPosition(asked)
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
    asked = MessageToDict(api.AnalyzeRequest(question=question(iterations=50)))
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
        [warning.reason for warning in api.RecommendMoveResponse.FromString(answer.body).warnings] for answer in answers
    ]
    assert [api.WARNING_REASON_TIME_CUT in reasons for reasons in warnings] == [False, True]


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
async def test_a_deadline_that_came_before_the_answer_has_its_reason(own: Caller, content_type: str) -> None:
    asked = MessageToDict(long_question())  # which does not end otherwise
    fields = {"question": asked} if "connect" in content_type else asked
    method, body = ADVICE + ("Analyze" if "connect" in content_type else "RecommendMove"), json.dumps(fields).encode()
    sent = enveloped(body) if "connect" in content_type else body
    answer = await own.call(method, sent, content_type=content_type, connect_timeout_ms="0", accept_language="de")
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
