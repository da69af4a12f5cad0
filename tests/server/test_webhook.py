"""The webhook: requests, signatures, allowed hosts, and the meaning of answers."""

import asyncio
import base64
import json
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trustme

from clerestory.declared import BadSettings
from clerestory.server import webhook
from clerestory.server.games.notices import Delivery, TurnNotice
from clerestory.server.webhook import Forbidden, Webhook, delivery_of, is_public, read_key, resolved, signature
from tests.server.games.table import PERSON, table
from tests.server.rpc.harness import until

KEY = bytes(range(24))
TEXT = base64.b64encode(KEY).decode()
NOTICE = TurnNotice("game", "duel", version=3, ply=2, seat=1, began=1_000, deadline=None)
SECONDS = 1_614_265_330


class Received:
    """What a server of a test received: each request as its lines and its content."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.requests: list[tuple[list[str], str]] = []

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
        length = next(int(line.partition(": ")[2]) for line in lines if line.startswith("content-length: "))
        self.requests.append((lines, (await reader.readexactly(length)).decode()))
        writer.write(self.answer)
        await writer.drain()
        writer.close()


@asynccontextmanager
async def receiving(
    answer: bytes = b"HTTP/1.1 204 No Content\r\n\r\n", tls: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[Received, int]]:
    received = Received(answer)
    server = await asyncio.start_server(received, "127.0.0.1", 0, ssl=tls)
    async with server:
        yield received, server.sockets[0].getsockname()[1]


def hook(url: str, *, private: bool = True) -> Webhook:
    return Webhook(url, KEY, private=private, now=lambda: 1000 * SECONDS)


def test_a_signature_is_that_of_the_specification() -> None:
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    body = b'{"test": 2432232314}'
    expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", SECONDS, body) == expected


async def test_a_notice_is_posted_with_its_signature() -> None:
    async with receiving() as (received, port):
        assert await hook(f"http://127.0.0.1:{port}/turn?of=us").send(NOTICE) == Delivery.ACCEPTED
    [(lines, body)] = received.requests
    assert lines == [
        "POST /turn?of=us HTTP/1.1",
        f"host: 127.0.0.1:{port}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        "webhook-id: game.3",
        f"webhook-timestamp: {SECONDS}",
        f"webhook-signature: {signature(KEY, 'game.3', SECONDS, body.encode())}",
        "connection: close",
    ]
    assert body == NOTICE.to_json()


async def test_the_certificate_of_the_host_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    async with receiving(tls=context) as (received, port):
        unknown = await hook(f"https://localhost:{port}/").send(NOTICE)
        trusting = ssl.create_default_context()
        authority.configure_trust(trusting)
        monkeypatch.setattr(ssl, "create_default_context", lambda: trusting)
        known = await hook(f"https://localhost:{port}/").send(NOTICE)
        other = await hook(f"https://127.0.0.1:{port}/").send(NOTICE)
    assert (unknown, known, other) == (Delivery.FAILED, Delivery.ACCEPTED, Delivery.FAILED)
    assert len(received.requests) == 1


@pytest.mark.parametrize(
    ("status", "delivery"),
    [
        (200, Delivery.ACCEPTED),
        (204, Delivery.ACCEPTED),
        (302, Delivery.REJECTED),
        (400, Delivery.REJECTED),
        (410, Delivery.REJECTED),
        (408, Delivery.FAILED),
        (429, Delivery.FAILED),
        (500, Delivery.FAILED),
        (503, Delivery.FAILED),
    ],
)
def test_a_status_says_whether_to_try_again(status: int, delivery: Delivery) -> None:
    assert delivery_of(status) == delivery


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 ok\r\n\r\n", b"x" * 100_000])
async def test_an_answer_that_is_not_http_is_a_failure(answer: bytes) -> None:
    async with receiving(answer) as (_, port):
        assert await hook(f"http://127.0.0.1:{port}/").send(NOTICE) == Delivery.FAILED


async def test_a_host_that_does_not_answer_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook, "TIMEOUT_S", 0.01)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert await hook(f"http://127.0.0.1:{port}/").send(NOTICE) == Delivery.FAILED
    assert await hook(f"http://127.0.0.1:{port}/").send(NOTICE) == Delivery.FAILED  # refused


# -- hosts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
        *("100.64.0.1", "224.0.0.1", "239.1.1.1", "255.255.255.255"),
        *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1", "ff0e::1", "2001:db8::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::"),
    ],
)
def test_any_other_address_is_not(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1", "2130706433", "0", "::1", "169.254.169.254"])
async def test_a_host_inside_is_called_only_if_that_is_allowed(host: str) -> None:
    with pytest.raises(Forbidden, match="--webhook-private allows"):
        await resolved(host, 80, private=False)
    assert await resolved(host, 80, private=True)


async def test_a_host_inside_gets_no_connection() -> None:
    async with receiving() as (received, port):
        assert await hook(f"http://localhost:{port}/", private=False).send(NOTICE) == Delivery.REJECTED
    assert received.requests == []


async def test_the_connection_is_made_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name server may answer otherwise the next time."""
    answers = [["192.168.1.1", "8.8.8.8"], ["127.0.0.1"]]
    called: list[Any] = []

    async def lookup(*_: Any, **__: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in answers.pop(0)]

    async def connect(host: str, port: int, **_: Any) -> None:
        called.append((host, port))
        raise ConnectionRefusedError

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", lookup)
    monkeypatch.setattr(asyncio, "open_connection", connect)
    assert await hook("http://example.org/", private=False).send(NOTICE) == Delivery.FAILED
    assert called == [("8.8.8.8", 80)]


# -- the key, and a server -------------------------------------------------------------------------


@pytest.mark.parametrize("text", [TEXT, f"whsec_{TEXT}\n"])
def test_a_key_is_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(text)
    assert read_key(tmp_path / "key") == KEY


@pytest.mark.parametrize("text", ["", "whsec_", "secret", TEXT[:-4], TEXT * 3, "é" * 32])
def test_a_wrong_key_is_an_error_that_does_not_quote_it(text: str, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(text)
    with pytest.raises(BadSettings, match=r"^webhook_key: \S+ holds no key") as error:
        read_key(tmp_path / "key")
    assert not text or text not in str(error.value).removeprefix(f"webhook_key: {tmp_path}")


async def test_a_server_posts_each_turn_and_counts(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(TEXT)
    async with receiving() as (received, port):
        settings = {
            "webhook": f"http://127.0.0.1:{port}/turn",
            "webhook_key": tmp_path / "key",
            "webhook_private": True,
        }
        async with table(PERSON, PERSON, settings=settings) as played:
            await until(lambda: len(received.requests) == 1)
            turns = [played.made.game.turn.seat]
            while len(turns) < 3:
                seat = (await played.play_first()).game.turn.seat
                turns += [seat] if seat != turns[-1] else []
            await until(lambda: len(received.requests) == 3)
            value = played.app.metrics.registry.get_sample_value
            await until(lambda: value("clerestory_notices_total", {"outcome": "delivered"}) == 3)
    assert [json.loads(body)["data"]["seat"] for _, body in received.requests] == turns
