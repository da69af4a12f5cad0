"""The requests that the gateway accepts, its limits on size and time, and its health."""

import asyncio
import gzip
import json

import pytest

from clerestory.server.gateway.app import HEALTH
from clerestory.server.gateway.bridge import PASSED_ON, SERVER_GONE
from tests.server.gateway.harness import ADVICE, HOUR_S, JSON, LIST, PROTO, RULES, Caller, gateway, read_head, reason_of
from tests.server.rpc.harness import LoopClock


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "192.168.1.7:8080", ""]
)
async def test_a_foreign_name_is_rejected(caller: Caller, host: str) -> None:
    call = await caller.call(LIST, b"", host=host)
    page = await caller.ask("GET", "/", host=host)
    assert (call.status, page.status) == (403, 403)


NAMES = ("castle.example", "[2001:db8::1]", "2001:db8::2")
OWN = ["127.0.0.1:9", "localhost", "[::1]:8080", "LOCALHOST:1", "castle.example:443", "[2001:db8::1]", "[2001:DB8::2]"]


async def test_own_names_are_known() -> None:
    async with gateway(names=NAMES) as caller:
        for host in OWN:
            assert (await caller.call(LIST, b"", host=host)).status == 200, host


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "http://localhost"])
async def test_a_page_from_elsewhere_may_not_call(caller: Caller, origin: str) -> None:
    refused = await caller.call(LIST, b"", origin=origin)
    own = await caller.call(LIST, b"", origin=f"http://{caller.host}:{caller.port}")
    assert (refused.status, own.status) == (403, 200)


SITE, OTHER = "https://play.example.org", "http://play.example.org"
PREFLIGHT = {"access_control_request_method": "POST", "access_control_request_headers": "content-type"}


async def test_pages_of_a_listed_origin_may_call_and_read_errors() -> None:
    async with gateway(origins=(SITE,)) as caller:
        asked = await caller.ask("OPTIONS", LIST, origin=SITE, **PREFLIGHT)
        answers = [
            await caller.call(LIST, b"", origin=SITE),
            await caller.call(ADVICE + "RecommendMove", {}, origin=SITE),
            await caller.ask("GET", LIST, origin=SITE),
            await caller.ask("GET", "/health", origin=SITE),
        ]
    assert asked.status == 200
    assert asked.headers["access-control-allow-methods"] == "GET, POST"
    allowed = asked.headers["access-control-allow-headers"].split(", ")
    compressed = {"content-encoding", "connect-content-encoding"}
    assert {"content-type", "connect-protocol-version", "connect-timeout-ms", *PASSED_ON} | compressed <= set(allowed)
    assert [answer.status for answer in answers] == [200, 400, 405, 200]
    for answer in [asked, *answers]:
        assert answer.headers["access-control-allow-origin"] == SITE
        assert answer.headers["vary"] == "origin"
        assert "access-control-allow-credentials" not in answer.headers


async def test_pages_of_other_origins_are_allowed_nothing() -> None:
    async with gateway(origins=(SITE,)) as caller:
        for origin in (OTHER, f"{SITE}:8443", f"{SITE}.evil.example", f"{SITE}/", "null", "*"):
            for verb, headers in (("OPTIONS", PREFLIGHT), ("POST", {"content_type": PROTO}), ("GET", {})):
                answer = await caller.ask(verb, LIST, origin=origin, **headers)
                assert answer.status == 403, (origin, verb)
                assert "access-control-allow-origin" not in answer.headers


async def test_without_listed_origins_no_preflight_is_answered(caller: Caller) -> None:
    answer = await caller.ask("OPTIONS", LIST, origin=SITE, **PREFLIGHT)
    assert answer.status == 403
    assert b"--web-origin" in answer.body
    assert not [name for name in answer.headers if name.startswith("access-control") or name == "vary"]


async def test_any_page_may_find_out_that_there_is_a_server(caller: Caller) -> None:
    assert (await caller.ask("GET", "/health")).headers["cross-origin-resource-policy"] == "cross-origin"
    assert (await caller.call(LIST, b"")).headers["cross-origin-resource-policy"] == "same-origin"


async def test_an_answer_is_compressed_if_it_is_long_and_the_client_accepts_it(caller: Caller) -> None:
    catalogue: dict[str, str] = {"game": "cathedral"}
    plain = await caller.call(RULES + "DescribeCatalogue", catalogue)
    answers = [
        await caller.call(RULES + "DescribeCatalogue", catalogue, accept_encoding=encoding)
        for encoding in ("gzip", "br, gzip;q=0.5", "gzip;q=0", "br")
    ]
    packed = [answer.headers.get("content-encoding") == "gzip" for answer in answers]
    assert packed == [True, True, False, False]
    for answer, is_packed in zip(answers, packed, strict=True):
        assert (gzip.decompress(answer.body) if is_packed else answer.body) == plain.body
    assert len(answers[0].body) < len(plain.body) / 3
    short = await caller.call(RULES + "ListActions", {}, accept_encoding="gzip")
    assert "content-encoding" not in short.headers


FORMS = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/connect+proto")


async def test_requests_of_html_forms_reach_no_method(own: Caller) -> None:
    for kind in FORMS:
        assert (await own.call(LIST, b"", content_type=kind)).status == 415, kind
    counted = list(own.server.app.metrics.registry.collect())
    assert not [sample for family in counted for sample in family.samples if sample.name == "clerestory_calls_total"]


@pytest.mark.parametrize(
    ("path", "answers", "accepted"),
    [
        (LIST, "has one answer", "application/proto, application/json"),
        (ADVICE + "Analyze", "streams its answer", "application/connect+proto, application/connect+json"),
    ],
)
async def test_an_error_names_the_media_types(caller: Caller, path: str, answers: str, accepted: str) -> None:
    wrong = "application/connect+json" if path == LIST else JSON
    answer = await caller.call(path, b"{}", content_type=wrong)
    assert (answer.status, answer.headers["accept-post"]) == (415, accepted)
    assert reason_of(answer.fields) == "UNREADABLE_REQUEST"
    assert answer.fields["message"] == f"content-type: this method {answers}; must be one of {accepted}"


@pytest.mark.parametrize(
    ("verb", "path", "status", "reason", "allow"),
    [
        ("POST", ADVICE + "Nope", 404, "NO_SUCH_METHOD", None),
        ("GET", ADVICE + "Nope", 404, "NO_SUCH_METHOD", None),
        ("POST", ADVICE + "BatchRecommend", 404, "NO_SUCH_METHOD", None),  # a stream of requests
        ("DELETE", "/nowhere", 404, "NO_SUCH_METHOD", None),
        ("DELETE", LIST, 405, "UNREADABLE_REQUEST", "POST"),
        ("GET", LIST, 405, "UNREADABLE_REQUEST", "POST"),
        ("OPTIONS", LIST, 405, "UNREADABLE_REQUEST", "POST"),
        ("PUT", HEALTH, 405, "UNREADABLE_REQUEST", "GET, HEAD"),
    ],
)
async def test_what_is_no_call_is_a_typed_error(
    caller: Caller, verb: str, path: str, status: int, reason: str, allow: str | None
) -> None:
    answer = await caller.ask(verb, path, accept_language="de")
    assert (answer.status, answer.headers["content-type"]) == (status, "application/json")
    assert answer.headers.get("allow") == allow
    assert reason_of(answer.fields) == reason
    assert answer.fields["details"][-1]["debug"]["locale"] == "de"


async def test_a_body_that_is_too_long_is_rejected(caller: Caller) -> None:
    body = b"x" * (64 * 1024 + 1)
    announced: list[dict[str, str]] = [{"content_length": length} for length in ("65537", "9" * 19)]
    for sent, headers in ((body, {}), *((b"", one) for one in announced)):  # does not wait for the body
        answer = await caller.call(LIST, sent, **headers)
        assert (answer.status, reason_of(answer.fields)) == (400, "UNREADABLE_REQUEST")
    head = f"POST {LIST} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {PROTO}\r\ntransfer-encoding: chunked\r\n\r\n"
    status, text = await caller.said(head.encode() + b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body))
    assert (status, reason_of(json.loads(text))) == (400, "UNREADABLE_REQUEST")


async def test_a_body_must_arrive_in_time(own: Caller, clock: LoopClock) -> None:
    call = asyncio.ensure_future(own.call(LIST, b"", content_length="10"))
    await clock.advance_until(call.done, HOUR_S / 2)
    answer = await call
    assert (answer.status, answer.fields["code"]) == (504, "deadline_exceeded")
    assert reason_of(answer.fields) == "SLOW_REQUEST"


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nhost: loc"])
async def test_a_head_must_arrive_in_time(sent: bytes, clock: LoopClock) -> None:
    async with gateway() as caller, caller.connection() as (reader, writer):
        writer.write(sent)
        await clock.advance_until(reader.at_eof, HOUR_S)


async def test_a_connection_may_rest_but_not_within_a_head(clock: LoopClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.server.gateway.serve.KEEP_ALIVE", 1 << 30)
    async with gateway() as caller, caller.connection() as (reader, writer):
        for pause in (0, 2 * HOUR_S):
            clock.advance(pause)
            writer.write(f"HEAD / HTTP/1.1\r\nhost: {caller.host}\r\n\r\n".encode())
            assert (await read_head(reader))[0] == 200
        writer.write(b"HEAD / HT")
        await clock.advance_until(reader.at_eof, HOUR_S)


async def test_every_answer_has_the_headers_of_safety(caller: Caller) -> None:
    answers = [
        await caller.call(LIST, b""),
        await caller.ask("GET", "/"),
        await caller.call(LIST, b"", host="evil.example"),
    ]
    for answer in answers:
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "server" not in answer.headers


@pytest.mark.parametrize("verb", ["GET", "HEAD"])
async def test_a_gateway_says_whether_its_server_serves(own: Caller, verb: str) -> None:
    serving = await own.ask(verb, HEALTH)
    await own.server.app.health.drain()
    draining = await own.ask(verb, HEALTH)
    await own.server.app.servers[0].stop(None)
    gone = await own.ask(verb, HEALTH)
    answers = (serving, draining, gone)
    said = ["SERVING\n", "NOT_SERVING\n", f"{SERVER_GONE}\n"] if verb == "GET" else [""] * 3
    assert [one.status for one in answers] == [200, 503, 503]
    assert [one.body.decode() for one in answers] == said
    assert serving.headers["cache-control"] == "no-store"


async def test_health_needs_no_token_but_a_name_of_the_gateway(tmp_path_factory: pytest.TempPathFactory) -> None:
    tokens = tmp_path_factory.mktemp("tokens") / "tokens"
    tokens.write_text("open-sesame-and-close")
    async with gateway(token_file=tokens) as caller:
        answers = [await caller.ask("GET", HEALTH, host=host) for host in ("localhost", "evil.example")]
    assert [answer.status for answer in answers] == [200, 403]
