"""Malformed or deliberately expensive requests: rejected briefly, with their connections closed."""

import asyncio
import json
import logging

import pytest

from clerestory.server.gateway.protocol import MAX_HEAD_BYTES, MAX_LINES, MAX_PARTS
from tests.server.gateway.harness import DAY_S, LIST, Caller, gateway, read_head, reason_of
from tests.server.rpc.harness import LoopClock

CHUNK = b"1\r\nx\r\n"


def message_of(text: str) -> str:
    error = json.loads(text)
    assert reason_of(error) == "UNREADABLE_REQUEST"
    return str(error["message"])


def head(verb: str, path: str, *lines: str, host: str = "localhost") -> bytes:
    return "\r\n".join([f"{verb} {path} HTTP/1.1", f"host: {host}", *lines, "", ""]).encode("latin-1")


CHUNKED = ("content-type: application/json", "transfer-encoding: chunked")
ENDLESS = [
    (head("POST", LIST, *CHUNKED), 400),
    (head("POST", LIST, CHUNKED[1]), 415),
    (head("POST", "/no.Such/Method", *CHUNKED), 404),
    (head("PUT", LIST, *CHUNKED), 405),
    (head("POST", LIST, *CHUNKED, host="evil.example"), 403),
]


@pytest.mark.parametrize(("request_head", "status"), ENDLESS, ids=[str(status) for _, status in ENDLESS])
async def test_chunks_without_end_are_answered_and_cut_off(
    own: Caller, request_head: bytes, status: int, clock: LoopClock
) -> None:
    async with own.connection() as (reader, writer):
        writer.write(request_head + CHUNK)
        if status == 400:
            writer.write(CHUNK * MAX_PARTS)
        assert (await read_head(reader))[0] == status
        with pytest.raises(ConnectionError):
            while True:
                writer.write(CHUNK * 1000)
                await writer.drain()
                clock.advance(DAY_S / 9)
                await asyncio.sleep(0)
    assert (await own.call(LIST, b"")).status == 200


async def test_a_request_may_begin_before_the_answer_to_the_last_and_end_after_it(caller: Caller) -> None:
    request = head("POST", LIST, "content-type: application/json", "content-length: 2") + b"{}"
    async with caller.connection() as (reader, writer):
        writer.write(request + request[:-1])
        for rest in (request[-1:], b""):
            status, headers = await read_head(reader)
            assert (status, b"games" in await reader.readexactly(int(headers["content-length"]))) == (200, True)
            writer.write(rest)


async def test_a_body_may_come_in_chunks_but_not_in_too_many(caller: Caller) -> None:
    body = b"".join(b"1\r\n%c\r\n" % byte for byte in b"{}") + b"0\r\n\r\n"
    status, text = await caller.said(head("POST", LIST, *CHUNKED, "connection: close") + body)
    assert (status, '"games"' in text) == (200, True)
    status, text = await caller.said(head("POST", LIST, *CHUNKED) + CHUNK * (MAX_PARTS + 1))
    assert (status, message_of(text)) == (400, f"the body came in more than {MAX_PARTS} parts")


async def test_an_answer_reaches_a_caller_that_is_still_sending(caller: Caller) -> None:
    """A connection that is closed with unread bytes is reset, and its answer lost."""
    for _ in range(5):
        status, text = await caller.said(head("POST", "/no.Such/Method", "content-length: 1000000") + b"x" * 500_000)
        assert (status, reason_of(json.loads(text))) == (404, "NO_SUCH_METHOD")


@pytest.mark.parametrize("version", ["1.1", "1.0"])
async def test_a_body_with_two_lengths_is_rejected(caller: Caller, version: str) -> None:
    lengths = ("content-length: 2",) if version == "1.1" else ()
    request = head("POST", LIST, *CHUNKED, *lengths).replace(b"HTTP/1.1", f"HTTP/{version}".encode())
    status, text = await caller.said(request + b"2\r\n{}\r\n0\r\n\r\n" + head("GET", "/smuggled"))
    assert (status, message_of(text)) == (
        400,
        "a request must have one of Content-Length and Transfer-Encoding, not both",
    )


@pytest.mark.parametrize(
    "request_bytes",
    [head("HEAD", "/", CHUNKED[1]) + b"ZZZ\r\n", head("HEAD", "/", CHUNKED[1], "content-length: 2")],
    ids=["chunk", "lengths"],
)
async def test_an_invalid_head_request_is_rejected_without_a_body_or_a_traceback(
    caller: Caller, request_bytes: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    said = await caller.said(request_bytes)
    assert said == (400, "")
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


LONG = [
    head("GET", "/", "x: " + "y" * 70_000),
    head("GET", "/", "x: " + "y" * MAX_HEAD_BYTES),
    head("GET", "/" + "y" * 70_000),
    head("GET", "/", "x: " + "y" * 70_000)[:-4],
    head("GET", "/", *["x:"] * MAX_LINES),
]


@pytest.mark.parametrize("request_head", LONG, ids=["70000", "just", "path", "unfinished", "lines"])
async def test_a_head_too_long_is_rejected(caller: Caller, request_head: bytes) -> None:
    status, text = await caller.said(request_head)
    assert status == 431
    assert message_of(text).startswith("the head of the request has more than ")


SITE = "https://play.example.org"


@pytest.mark.parametrize("origin", [SITE, "https://evil.example"])
@pytest.mark.parametrize(
    ("lines", "body", "status"),
    [(("x: " + "y" * 70_000,), b"", 431), ((*CHUNKED, "content-length: 2"), b"", 400), (CHUNKED, CHUNK * 999, 400)],
    ids=["long", "lengths", "chunks"],
)
async def test_a_page_of_a_listed_origin_reads_why_its_request_is_rejected(
    origin: str, lines: tuple[str, ...], body: bytes, status: int
) -> None:
    async with gateway(origins=(SITE,)) as caller, caller.connection() as (reader, writer):
        writer.write(head("POST", "/openapi.json" if not body else LIST, f"Origin: {origin}", *lines) + body)
        found, headers = await read_head(reader)
    assert found == status
    assert headers.get("access-control-allow-origin") == (SITE if origin == SITE else None)


@pytest.mark.parametrize(("origins", "allowed"), [((SITE,), "*"), ((), None)])
@pytest.mark.parametrize("lines", [["x: " + "y" * 70_000], ["x: y"] * 4_000], ids=["bytes", "lines"])
async def test_a_page_reads_that_its_head_is_too_long_before_its_origin_has_arrived(
    lines: list[str], origins: tuple[str, ...], allowed: str | None
) -> None:
    async with gateway(origins=origins) as caller, caller.connection() as (reader, writer):
        writer.write(head("POST", LIST, *lines, f"Origin: {SITE}"))
        status, headers = await read_head(reader)
    assert (status, headers.get("access-control-allow-origin")) == (431, allowed)


async def test_a_head_of_the_greatest_length_is_answered(caller: Caller) -> None:
    lines = ("connection: close", "x: ")
    request = head("GET", LIST, *lines)
    request = head("GET", LIST, *lines[:-1], "x: " + "y" * (MAX_HEAD_BYTES - len(request) + 4))
    status, _ = await caller.said(request)
    longer, _ = await caller.said(request.replace(b"y", b"yy", 1))
    assert (status, longer) == (405, 431)


URLS = [
    (head("GET", "http://localhost:80/", host="evil.example"), 200),
    (head("POST", "HTTP://127.0.0.1" + LIST, *CHUNKED) + b"0\r\n\r\n", 200),
    (head("GET", "https://localhost" + LIST), 405),
    (head("GET", "http://localhost?x"), 200),
    (head("GET", "http://evil.example/"), 403),
    (head("GET", "http://"), 403),
    (head("GET", "http://localhost@evil.example/"), 403),
    (head("GET", "http://localhost", "origin: http://localhost", host="127.0.0.1"), 200),
]


@pytest.mark.parametrize(("request_bytes", "expected"), URLS)
async def test_a_url_is_read_as_a_path_at_its_host(caller: Caller, request_bytes: bytes, expected: int) -> None:
    status, _ = await caller.said(request_bytes.replace(b"\r\nhost", b"\r\nconnection: close\r\nhost", 1))
    assert status == expected


STRANGE = [
    (head("GET", "/a\0b"), 400),
    (head("GET", "/", "x: a\0b"), 400),
    (head("GET", "/", "x: a\x01b"), 400),
    (head("GET", "/", "x: a\x7fb"), 400),
    (head("GET", "/", "x\0: b"), 400),
    (head("GET", "/a%00b%01"), 404),
    (head("GET", "/..%2f..%2fetc/passwd"), 404),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
    (b"GET / HTTP/1.1\r\n\r\n", 400),
    (head("POST", LIST, "transfer-encoding: gzip"), 501),
    (head("POST", LIST, "content-length: -1"), 400),
    (head("POST", LIST, "content-length: 1", "content-length: 2"), 400),
]
FOREIGN = [
    head("GET", "/", f"origin: {origin}")
    for origin in ("http://[::1", "http://]", "://", "http://[", "[", "\xff", "//")
] + [head("GET", "/", host=host) for host in ("[::1", "[", "]", "::1]", "localhost:x", "localhost:123456", "a b", "@")]


@pytest.mark.parametrize(("request_bytes", "expected"), [*STRANGE, *((request, 403) for request in FOREIGN)])
async def test_malformed_requests_leave_no_trace(
    request_bytes: bytes, expected: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "uvicorn"):
        async with gateway() as caller:
            ended = request_bytes.replace(b"\r\nhost", b"\r\nconnection: close\r\nhost", 1)
            status, text = await caller.said(ended)
    assert status == expected
    assert "\n" not in text.removesuffix("\n")
    assert [record for record in caplog.records if record.name.startswith(("uvicorn", "asyncio"))] == []
