"""Calls of browsers get the same answers as gRPC callers."""

import asyncio
import json
from base64 import b64decode
from contextlib import AsyncExitStack
from hashlib import sha256
from pathlib import Path

import grpc
import pytest
from google.protobuf.json_format import MessageToDict
from google.rpc.error_details_pb2 import ErrorInfo

from clerestory.clients.connection import dial
from clerestory.door.bridge import MAX_STREAMS, MAX_STREAMS_INSIDE
from clerestory.door.config import DoorSettings
from clerestory.door.errors import HTTP, OWN, code_name
from clerestory.door.methods import methods
from clerestory.door.serve import opened
from clerestory.server import transport
from clerestory.server.errors import CODES
from clerestory.v1.advisor_pb2 import (
    STOP_REASON_STOPPED,
    WARNING_REASON_TIME_CUT,
    AnalyzeRequest,
    AnalyzeResponse,
    RecommendMoveResponse,
)
from clerestory.v1.rules_pb2 import ListGamesRequest, ListGamesResponse, StartPositionRequest, StartPositionResponse
from clerestory.v1.rules_pb2_grpc import RulesServiceStub
from tests.door.harness import (
    ADVICE,
    JSON,
    PROTO,
    RULES,
    Caller,
    address_of,
    door,
    enveloped,
    parts,
    read_head,
    reason_of,
    unchunked,
)
from tests.server.harness import duration, logged, long_question, question, served, until

STREAM = "application/connect+proto"


async def test_a_call_is_answered_to_the_byte_as_over_grpc() -> None:
    async with door() as caller:
        asked = StartPositionRequest(game="duel", seats=2, seed=5)
        answer = await caller.call(RULES + "StartPosition", asked.SerializeToString())
        direct = await RulesServiceStub(caller.server.channel).StartPosition(asked)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/proto")
    assert answer.body == direct.SerializeToString()
    assert StartPositionResponse.FromString(answer.body).seed == 5


async def test_a_browser_is_answered_in_the_language_that_it_asks_for(caller: Caller) -> None:
    started = await caller.call(RULES + "StartPosition", {"game": "cathedral", "seats": 2, "seed": "5"})
    asked = {"position": {"referee": started.fields["referee"]}}
    answers = [
        await caller.call(RULES + "ListActions", asked, accept_language=header) for header in ("en", "de-DE,en;q=0.8")
    ]
    assert [answer.headers["content-language"] for answer in answers] == ["en", "de"]
    labels = [answer.fields["actions"][0]["action"]["label"] for answer in answers]
    assert labels[0].endswith(" is turned up at Kingsbridge")
    assert labels[1].startswith("In Kingsbridge wird aufgedeckt: ")


async def test_a_call_in_json_has_the_names_of_position_files() -> None:
    async with door() as caller:
        answer = await caller.call(RULES + "StartPosition", {"game": "duel", "seats": 2, "seed": "5"})
        direct = await RulesServiceStub(caller.server.channel).StartPosition(
            StartPositionRequest(game="duel", seats=2, seed=5)
        )
    assert answer.fields == MessageToDict(direct, preserving_proto_field_name=True)
    assert "rules_revision" in answer.fields["referee"]["truth"]


def test_every_method_of_the_services_can_be_called() -> None:
    names = {path.rpartition("/")[2] for path in methods()}
    assert {"RecommendMove", "Analyze", "ListActions", "DescribeCatalogue", "WatchGame", "PlayAction"} <= names
    assert {path for path, method in methods().items() if method.streams} >= {ADVICE + "Analyze"}
    assert not methods()[RULES + "ListGames"].streams


async def test_an_identifier_goes_there_and_back(caller: Caller) -> None:
    answer = await caller.call(RULES + "ListGames", b"", x_request_id="seven")
    assert answer.headers["trailer-x-request-id"] == "seven"


# -- streams ---------------------------------------------------------------------------------------


def analysis(**fields: object) -> bytes:
    return AnalyzeRequest(question=question(**fields), update_interval=duration(0.02)).SerializeToString()


async def test_a_stream_is_what_grpc_sends_and_an_end(caller: Caller) -> None:
    for seconds in (0.3, 3, 30):  # a busy machine may have no table before the end
        body = enveloped(analysis(time_budget=duration(seconds)))
        answer = await caller.ask("POST", ADVICE + "Analyze", body, content_type=STREAM)
        *tables, end = parts(answer.body)
        if len(tables) > 2:
            break
    found = [AnalyzeResponse.FromString(payload) for _, payload in tables]
    assert {flags for flags, _ in tables} == {0}
    assert len(found) > 2
    assert [table.final for table in found] == [False] * (len(found) - 1) + [True]
    assert end == (2, b"{}")


async def test_a_stream_in_json(caller: Caller) -> None:
    asked = MessageToDict(AnalyzeRequest(question=question(iterations=50)))
    body = enveloped(json.dumps(asked).encode())
    answer = await caller.ask("POST", ADVICE + "Analyze", body, content_type="application/connect+json")
    *tables, end = parts(answer.body)
    assert json.loads(tables[-1][1])["final"] is True
    assert end == (2, b"{}")


async def test_the_first_table_comes_while_the_search_goes_on() -> None:
    async with door() as caller:
        body = enveloped(AnalyzeRequest(question=long_question(), update_interval=duration(0.02)).SerializeToString())
        async with caller.sent("POST", ADVICE + "Analyze", body, {"content-type": STREAM}) as reader:
            assert (await read_head(reader))[0] == 200
            assert await reader.read(1)
            assert caller.server.app.scheduler.admitted == 1
        await until(lambda: caller.server.app.scheduler.admitted == 0)


async def test_a_caller_who_hangs_up_ends_the_search() -> None:
    async with door() as caller:
        async with caller.sent(
            "POST", ADVICE + "RecommendMove", long_question().SerializeToString(), {"content-type": "application/proto"}
        ):
            await until(lambda: caller.server.app.scheduler.running == 1)
        await until(lambda: caller.server.app.scheduler.admitted == 0)


async def test_streams_of_one_caller_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.door.bridge.MAX_STREAMS_EACH", 1)
    async with door() as caller:
        body = enveloped(AnalyzeRequest(question=long_question()).SerializeToString())
        short = enveloped(analysis(iterations=10))
        async with caller.sent("POST", ADVICE + "Analyze", body, {"content-type": STREAM}):
            await until(lambda: caller.server.app.scheduler.admitted == 1)
            refused = await caller.ask("POST", ADVICE + "Analyze", body, content_type=STREAM)
            seated = await caller.ask("POST", ADVICE + "Analyze", short, content_type=STREAM, x_clerestory_seat="a b")
        await until(lambda: caller.server.app.scheduler.admitted == 0)
        again = await caller.ask("POST", ADVICE + "Analyze", short, content_type=STREAM)
    error = json.loads(parts(refused.body)[-1][1])["error"]
    assert (error["code"], reason_of(error)) == ("resource_exhausted", "BUSY")
    assert error["details"][1]["debug"] == {"retryDelay": "1s"}
    assert parts(seated.body)[-1] == parts(again.body)[-1] == (2, b"{}")


@pytest.mark.parametrize(
    ("most", "calls"), [(MAX_STREAMS, transport.STREAMS), (MAX_STREAMS_INSIDE, transport.STREAMS_INSIDE)]
)
def test_all_streams_of_a_door_leave_room_for_other_calls(most: int, calls: int) -> None:
    assert most <= 0.8 * calls


async def test_streams_of_one_address_are_bounded_whoever_they_say_they_are() -> None:
    async with door(streams=2) as caller:
        body = enveloped(AnalyzeRequest(question=long_question()).SerializeToString())
        async with caller.sent("POST", ADVICE + "Analyze", body, {"content-type": STREAM}):
            await until(lambda: caller.server.app.scheduler.admitted == 1)
            refused = await caller.ask("POST", ADVICE + "Analyze", body, content_type=STREAM, x_clerestory_seat="a b")
    assert json.loads(parts(refused.body)[-1][1])["error"]["code"] == "resource_exhausted"


async def test_made_up_tokens_and_seats_bring_an_address_no_further_streams() -> None:
    body = enveloped(AnalyzeRequest(question=long_question()).SerializeToString())
    async with door(streams=4) as caller, AsyncExitStack() as around:
        for number in range(2):
            headers = {"authorization": f"Bearer {number}", "x-clerestory-seat": f"a {number}", "content-type": STREAM}
            await around.enter_async_context(caller.sent("POST", ADVICE + "Analyze", body, headers))
        await until(lambda: caller.server.app.scheduler.admitted == 2)
        headers = {"authorization": "Bearer 2", "x_clerestory_seat": "a 2"}
        refused = await caller.ask("POST", ADVICE + "Analyze", body, content_type=STREAM, **headers)
    assert json.loads(parts(refused.body)[-1][1])["error"]["code"] == "resource_exhausted"


SECRET = "Bearer open-sesame-and-close"
FORWARDED = {"x_forwarded_for": "203.0.113.9"}
LABELS = [  # whether tokens are required, what a browser brings, and whose its call is in the log
    (False, {}, "peer:127.0.0.1/203.0.113.9"),
    (False, {"authorization": "Bearer made-up"}, "peer:127.0.0.1/203.0.113.9"),
    (True, {}, "peer:127.0.0.1/203.0.113.9"),
    (True, {"authorization": "Bearer made-up"}, "peer:127.0.0.1/203.0.113.9"),
    (True, {"authorization": SECRET}, f"token:{sha256(SECRET.removeprefix('Bearer ').encode()).hexdigest()[:8]}"),
]


@pytest.mark.parametrize(("required", "brought", "label"), LABELS)
async def test_a_browser_is_its_address_unless_it_has_a_valid_token(
    tmp_path: Path, required: bool, brought: dict[str, str], label: str
) -> None:
    (tmp_path / "tokens").write_text(SECRET.removeprefix("Bearer "))
    with logged("json") as log:
        async with door(proxies=("127.0.0.1",), token_file=tmp_path / "tokens" if required else None) as caller:
            answer = await caller.call(RULES + "ListGames", b"", **FORWARDED, **brought)
    assert (answer.status == 401) == (required and label.startswith("peer"))
    assert [json.loads(line)["caller"] for line in log.getvalue().splitlines()] == [label]


async def test_a_header_that_grpc_cannot_carry_is_said_so(caller: Caller) -> None:
    for name in ("authorization", "x_clerestory_seat", "x_request_id"):
        answer = await caller.call(RULES + "ListGames", b"", **{name: "\u00e9"})
        assert (answer.status, answer.fields["code"]) == (400, "invalid_argument"), name
        assert reason_of(answer.fields) == "UNREADABLE_REQUEST"
        assert answer.fields["message"].startswith(f"{name.replace('_', '-')}: has characters")


async def test_headers_too_long_for_grpc_are_said_so(caller: Caller) -> None:
    for name in ("authorization", "x_request_id"):
        answer = await caller.call(RULES + "ListGames", b"", **{name: "a" * 6_200})
        assert (answer.status, reason_of(answer.fields)) == (400, "UNREADABLE_REQUEST"), name
        assert answer.fields["message"].startswith(f"{name.replace('_', '-')}: is too long")
    longest = await caller.call(RULES + "ListGames", b"", authorization="a" * 3_000, x_request_id="a" * 3_144)
    assert longest.status == 200


# -- errors ----------------------------------------------------------------------------------------


async def test_an_error_has_its_code_its_english_and_its_details(caller: Caller) -> None:
    answer = await caller.call(RULES + "StartPosition", StartPositionRequest(game="chess", seats=2).SerializeToString())
    assert (answer.status, answer.headers["content-type"]) == (400, JSON)
    assert answer.fields["code"] == "invalid_argument"
    assert answer.fields["message"].startswith("game: 'chess' is not one of")
    first = answer.fields["details"][0]
    assert first["type"] == "google.rpc.ErrorInfo"
    assert ErrorInfo.FromString(b64decode(first["value"] + "==")).reason == "BAD_GAME"
    assert first["debug"] == {"reason": "BAD_GAME", "domain": "clerestory"}


async def test_an_error_of_a_stream_is_its_end(caller: Caller) -> None:
    body = enveloped(AnalyzeRequest(question=question()).SerializeToString())
    answer = await caller.ask("POST", ADVICE + "Analyze", body, content_type=STREAM)
    [(flags, end)] = parts(answer.body)
    assert (answer.status, flags) == (200, 2)
    assert json.loads(end)["error"]["code"] == "invalid_argument"
    assert len(json.loads(end)["metadata"]["x-request-id"]) == 1


async def test_the_deadline_of_a_call_goes_on_to_the_server(caller: Caller) -> None:
    asked = question(time_budget=duration(60), iterations=10).SerializeToString()
    answer = await caller.call(ADVICE + "RecommendMove", asked, connect_timeout_ms="20000")
    warnings = [warning.reason for warning in RecommendMoveResponse.FromString(answer.body).warnings]
    assert (answer.status, WARNING_REASON_TIME_CUT in warnings) == (200, True)


@pytest.mark.parametrize("timeout", ["soon", "-1", "12345678901", ""])
async def test_a_deadline_that_is_none(caller: Caller, timeout: str) -> None:
    answer = await caller.call(RULES + "ListGames", b"", connect_timeout_ms=timeout, accept_language="de")
    assert (answer.status, answer.fields["code"]) == (400, "invalid_argument")
    assert reason_of(answer.fields) == "UNREADABLE_REQUEST"
    assert answer.fields["details"][-1]["debug"]["message"].startswith("Der Server versteht die Anfrage nicht.")


def test_the_reasons_of_the_door_have_the_codes_of_the_server() -> None:
    assert {reason: code_name(CODES[reason]) for reason in OWN} == OWN


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "JSON"),
        (b'{"games": 1}', "games"),
        (b'{"seats": "x"}', "seats"),
        (b"\xff", "JSON"),
        (b"[" * 5000, "nested"),
    ],
)
async def test_json_that_is_none_names_what_is_wrong(caller: Caller, body: bytes, says: str) -> None:
    answer = await caller.ask("POST", RULES + "StartPosition", body, content_type=JSON)
    assert (answer.status, answer.fields["code"]) == (400, "invalid_argument")
    assert says in answer.fields["message"]


async def test_bytes_that_are_no_message_are_refused_by_the_server(caller: Caller) -> None:
    answer = await caller.call(RULES + "ListActions", b"\xff\xff")
    assert answer.fields["details"][0]["debug"]["reason"] == "UNREADABLE_REQUEST"


@pytest.mark.parametrize(
    ("body", "code"),
    [(b"", "invalid_argument"), (b"\0\0\0\0\5x", "invalid_argument"), (b"\4\0\0\0\0", "unimplemented")],
)
async def test_envelopes_that_are_none(caller: Caller, body: bytes, code: str) -> None:
    answer = await caller.ask("POST", ADVICE + "Analyze", body, content_type=STREAM)
    assert json.loads(parts(answer.body)[0][1])["error"]["code"] == code


async def test_a_token_is_passed_on_and_asked_for(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("tokens") / "tokens"
    path.write_text("open-sesame-and-close")
    async with door(token_file=path) as caller:
        without = await caller.call(RULES + "ListGames", b"")
        wrong = await caller.call(RULES + "ListGames", b"", authorization="Bearer pepper")
        right = await caller.call(RULES + "ListGames", b"", authorization="Bearer open-sesame-and-close")
    assert (without.status, without.fields["code"]) == (401, "unauthenticated")
    assert wrong.fields["details"][0]["debug"]["reason"] == "BAD_TOKEN"
    assert ListGamesResponse.FromString(right.body).games


@pytest.mark.parametrize(
    ("left", "code", "reason"),
    [
        ("another-sesame-to-open", "unauthenticated", "BAD_TOKEN"),
        ("open-sesame-and-close", "permission_denied", "ON_BEHALF_DENIED"),
    ],
)
async def test_a_stream_ends_when_its_token_is_withdrawn_or_may_name_nobody_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: str, code: str, reason: str
) -> None:
    monkeypatch.setattr("clerestory.server.callers.NEAR", ())  # the door may name browsers only by their token
    (tmp_path / "tokens").write_text("open-sesame-and-close on-behalf")
    async with door(token_file=tmp_path / "tokens") as caller:
        headers = {"authorization": "Bearer open-sesame-and-close", "content-type": STREAM}
        body = enveloped(AnalyzeRequest(question=long_question()).SerializeToString())
        async with caller.sent("POST", ADVICE + "Analyze", body, headers) as reader:
            await read_head(reader)
            first = await reader.read(1)
            (tmp_path / "tokens").write_text(left)
            caller.server.app.reload()
            rest = unchunked(first + await reader.read())
    error = json.loads(parts(rest)[-1][1])["error"]
    assert (error["code"], reason_of(error)) == (code, reason)


async def test_calls_are_told_apart_in_the_metrics() -> None:
    async with door() as caller:
        await caller.call(RULES + "ListGames", b"")
        await RulesServiceStub(caller.server.channel).ListGames(ListGamesRequest())
        await RulesServiceStub(caller.server.channel).ListGames(ListGamesRequest())
        registry = caller.server.app.metrics.registry
    labels = {"method": "RulesService/ListGames", "code": "OK", "reason": ""}
    counts = {
        via: registry.get_sample_value("clerestory_calls_total", {**labels, "via": via}) for via in ("web", "grpc")
    }
    assert counts == {"web": 1, "grpc": 2}


async def test_a_server_that_is_gone_is_said_so() -> None:
    async with door() as caller:
        await caller.server.app.servers[0].stop(None)
        answer = await caller.call(RULES + "ListGames", b"")
    assert (answer.status, answer.fields) == (503, {"code": "unavailable", "message": "the server cannot be reached"})


async def test_a_door_that_closes_ends_its_calls_in_the_words_of_the_protocol(caplog: pytest.LogCaptureFixture) -> None:
    body, gone = long_question(), {"code": "unavailable", "message": "the server cannot be reached"}
    watched = enveloped(AnalyzeRequest(question=body).SerializeToString())
    async with AsyncExitStack() as around, served() as server:
        chosen, there = DoorSettings("127.0.0.1:0"), dial(server.app.address, None, None, retries=False)
        async with opened(chosen, there) as web:
            caller = Caller(*address_of(web.url), server)
            stream = caller.sent("POST", ADVICE + "Analyze", watched, {"content-type": STREAM})
            streaming = await around.enter_async_context(stream)
            asked = caller.sent("POST", ADVICE + "RecommendMove", body.SerializeToString(), {"content-type": PROTO})
            asking = await around.enter_async_context(asked)
            await until(lambda: server.app.scheduler.admitted == 2)
        await read_head(streaming)
        flags, end = parts(unchunked(await streaming.read()))[-1]
        status, _ = await read_head(asking)
        assert (flags, json.loads(end)) == (2, {"error": gone})
        assert (status, json.loads(await asking.read())) == (503, gone)
    assert [record for record in caplog.records if record.name.startswith("uvicorn")] == []


async def test_a_server_that_finishes_gives_a_last_table_through_the_door() -> None:
    async with door() as caller:
        body = enveloped(AnalyzeRequest(question=long_question()).SerializeToString())
        async with caller.sent(
            "POST", ADVICE + "Analyze", body, {"content-type": STREAM, "connection": "close"}
        ) as reader:
            await read_head(reader)
            await until(lambda: caller.server.app.scheduler.running == 1)
            await caller.server.app.finish()
            rest = await reader.read()
    table = last_table(rest)
    assert table.final
    assert table.recommendation.statistics.stop_reason == STOP_REASON_STOPPED


def last_table(chunked: bytes) -> AnalyzeResponse:
    return AnalyzeResponse.FromString(parts(unchunked(chunked))[-2][1])


def test_codes_are_spelt_as_the_protocol_does() -> None:
    assert {code_name(code) for code in grpc.StatusCode} - {"ok"} == set(HTTP)


async def test_a_door_that_seems_elsewhere_to_its_server_names_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the server is in a container: it sees the address of a bridge."""
    monkeypatch.setattr("clerestory.server.callers.NEAR", ())
    async with door() as caller:
        body = enveloped(analysis(iterations=10))
        streams = [caller.ask("POST", ADVICE + "Analyze", body, content_type=STREAM) for _ in range(2)]
        answers = await asyncio.gather(*streams, caller.call(RULES + "ListGames", b""))
        assert [parts(answer.body)[-1] for answer in answers[:2]] == [(2, b"{}")] * 2
        assert (await caller.call(RULES + "ListGames", b"")).status == answers[2].status == 200
        count = caller.server.app.metrics.registry.get_sample_value
    denied = {"code": "PERMISSION_DENIED", "reason": "ON_BEHALF_DENIED", "via": "web"}
    assert count("clerestory_calls_total", {"method": "RulesService/ListGames"} | denied) == 1


@pytest.mark.parametrize(("target", "named"), [("127.0.0.1:%d", ("127.0.0.1",)), ("ipv4:127.0.0.1:%d,10.0.0.2:9", ())])
async def test_a_server_is_told_the_addresses_of_browsers(target: str, named: tuple[str, ...]) -> None:
    """Queued calls of one address count against that address, not against the door; another machine is not told it."""
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
    async with opened(DoorSettings("127.0.0.1:0"), dial(target % port, None, None, retries=False)) as web:
        caller = Caller(*address_of(web.url), server=None)  # type: ignore[arg-type]
        await caller.call(RULES + "ListGames", b"")
        await caller.call(RULES + "ListGames", b"", x_on_behalf_of="somebody-else")
        await caller.call(RULES + "ListGames", b"", authorization="Bearer open-sesame-and-close")
    await server.stop(None)
    assert asked == [named] * 3
