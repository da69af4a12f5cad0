"""Which requests the door accepts, and its limits of size and time."""

import asyncio
from pathlib import Path

import pytest

from clerestory.door.config import BadDoor, DoorSettings
from tests.door.harness import ADVICE, JSON, RULES, door, read_head, reason_of

LIST = RULES + "ListGames"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "192.168.1.7:8080", ""]
)
async def test_a_foreign_name_is_refused(host: str) -> None:
    async with door() as caller:
        call = await caller.call(LIST, b"", host=host)
        page = await caller.ask("GET", "/", host=host)
    assert (call.status, page.status) == (403, 403)


NAMES = ("castle.example", "[2001:db8::1]", "2001:db8::2")
OWN = ["127.0.0.1:9", "localhost", "[::1]:8080", "LOCALHOST:1", "castle.example:443", "[2001:db8::1]", "[2001:DB8::2]"]


@pytest.mark.parametrize("host", OWN)
async def test_own_names_are_known(host: str) -> None:
    async with door(names=NAMES) as caller:
        assert (await caller.call(LIST, b"", host=host)).status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "http://localhost"])
async def test_a_page_from_elsewhere_may_not_call(origin: str) -> None:
    async with door() as caller:
        refused = await caller.call(LIST, b"", origin=origin)
        own = await caller.call(LIST, b"", origin=f"http://{caller.host}:{caller.port}")
    assert (refused.status, own.status) == (403, 200)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/connect+proto"]
)
async def test_what_a_form_can_send_reaches_no_method(kind: str) -> None:
    async with door() as caller:
        answer = await caller.call(LIST, b"", content_type=kind)
        counted = list(caller.server.app.metrics.registry.collect())
    assert answer.status == 415
    assert not [sample for family in counted for sample in family.samples if sample.name == "clerestory_calls_total"]


@pytest.mark.parametrize(
    ("path", "answers", "accepted"),
    [
        (LIST, "has one answer", "application/proto, application/json"),
        (ADVICE + "Analyze", "streams its answer", "application/connect+proto, application/connect+json"),
    ],
)
async def test_a_refused_media_type_is_told_which_ones_the_method_takes(path: str, answers: str, accepted: str) -> None:
    wrong = "application/connect+json" if path == LIST else JSON
    async with door() as caller:
        answer = await caller.call(path, b"{}", content_type=wrong)
    assert (answer.status, answer.headers["accept-post"]) == (415, accepted)
    assert answer.body.decode() == f"This method {answers}; its content-type must be one of {accepted}.\n"


@pytest.mark.parametrize(
    ("verb", "path", "status"), [("GET", LIST, 405), ("POST", "/", 404), ("POST", "/no.Such/Method", 404)]
)
async def test_other_ways_to_ask(verb: str, path: str, status: int) -> None:
    async with door() as caller:
        assert (await caller.ask(verb, path, content_type=JSON)).status == status


async def test_a_body_too_long_is_refused() -> None:
    async with door() as caller:
        answer = await caller.call(LIST, b"x" * (64 * 1024 + 1))
    assert (answer.status, reason_of(answer.fields)) == (400, "UNREADABLE_REQUEST")


@pytest.mark.parametrize("length", ["65537", "9" * 19])
async def test_a_body_that_says_it_is_too_long_is_not_waited_for(length: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.door.http.BODY_SECONDS", 0.05)
    async with door() as caller:
        answer = await caller.call(LIST, b"", content_length=length)
    assert (answer.status, reason_of(answer.fields)) == (400, "UNREADABLE_REQUEST")


async def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.door.http.BODY_SECONDS", 0.05)
    async with door() as caller:
        answer = await caller.call(LIST, b"", content_length="10")
    assert (answer.status, answer.fields["code"]) == (504, "deadline_exceeded")
    assert reason_of(answer.fields) == "SLOW_REQUEST"


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nhost: loc"])
async def test_a_head_that_does_not_come_is_not_waited_for(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.door.protocol.HEADER_SECONDS", 0.05)
    async with door() as caller:
        reader, writer = await asyncio.open_connection(caller.host, caller.port)
        writer.write(sent)
        assert await reader.read() == b""
        writer.close()


async def test_a_second_request_of_a_connection_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.door.protocol.HEADER_SECONDS", 1.0)
    async with door() as caller:
        reader, writer = await asyncio.open_connection(caller.host, caller.port)
        for pause in (0, 1.2):  # longer than a head may take: between two requests there is none to wait for
            await asyncio.sleep(pause)
            writer.write(f"HEAD / HTTP/1.1\r\nhost: {caller.host}\r\n\r\n".encode())
            assert (await read_head(reader))[0] == 200
        writer.write(b"HEAD / HT")
        assert await reader.read() == b""
        writer.close()


async def test_every_answer_has_the_headers_of_safety() -> None:
    async with door() as caller:
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


@pytest.mark.parametrize("listen", ["", "8080", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "unix:/tmp/x"])
def test_an_address_that_is_none(listen: str) -> None:
    with pytest.raises(BadDoor, match="web: "):
        DoorSettings(listen)


@pytest.mark.parametrize("listen", ["0.0.0.0:80", "192.168.1.7:80", "castle.example:80", "[::]:80"])
def test_plaintext_for_other_machines_must_be_allowed(listen: str) -> None:
    with pytest.raises(BadDoor, match="insecure"):
        DoorSettings(listen)
    assert DoorSettings(listen, insecure=True).address[1] == 80


def test_an_open_door_is_known_by_its_addresses_but_by_no_foreign_name() -> None:
    settings = DoorSettings("0.0.0.0:80", insecure=True)
    assert settings.knows("192.168.1.7")
    assert settings.knows("[fe80::1]")
    assert not settings.knows("evil.example")


def test_a_folder_without_a_page_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadDoor, match=r"index\.html"):
        DoorSettings("127.0.0.1:0", page=tmp_path)
