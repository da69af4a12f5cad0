"""Requests to addresses that others have chosen: allowed hosts, and the meaning of answers."""

import asyncio
import socket
import ssl
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import trustme

from clerestory.server.games.notices import Delivery
from clerestory.server.notices import post
from clerestory.server.notices.post import Forbidden, delivery_of, is_public, may_be_public, resolved
from tests.server.notices.receiver import receiving


async def sent(url: str, *, private: bool = True) -> Delivery:
    return (await post.post(url, {}, b"content", private=private)).delivery


@pytest.fixture
def contexts() -> Iterator[list[ssl.SSLContext]]:
    """Return a list whose last element is trusted; it shrinks when the certificates of the machine are read."""
    found: list[ssl.SSLContext] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", found.pop)
        post.trusted.cache_clear()
        yield found
    post.trusted.cache_clear()


async def test_the_certificate_of_the_host_is_checked(contexts: list[ssl.SSLContext]) -> None:
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    async with receiving(tls=context) as (received, port):
        trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        authority.configure_trust(trusting)
        contexts.append(trusting)
        known = await sent(f"https://localhost:{port}/")
        other = await sent(f"https://127.0.0.1:{port}/")
        post.trusted.cache_clear()
        contexts.append(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        unknown = await sent(f"https://localhost:{port}/")
    assert (known, other, unknown) == (Delivery.ACCEPTED, Delivery.FAILED, Delivery.FAILED)
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
        assert await sent(f"http://127.0.0.1:{port}/") == Delivery.FAILED


@pytest.mark.parametrize(
    ("interim", "final", "delivery"),
    [
        (b"HTTP/1.1 100 Continue\r\n\r\n", 204, Delivery.ACCEPTED),
        (b"HTTP/1.1 103 Early Hints\r\nlink: x\r\nlink: y\r\n\r\n" * 2, 410, Delivery.REJECTED),
        (b"HTTP/1.1 102 Processing\r\n\r\n", 503, Delivery.FAILED),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", 204, Delivery.FAILED),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 101, 204, Delivery.FAILED),
        (b"HTTP/1.1 103 Early Hints\r\n" + b"a: b\n" * 200 + b"\r\n", 204, Delivery.FAILED),
    ],
)
async def test_an_interim_answer_is_not_the_last(interim: bytes, final: int, delivery: Delivery) -> None:
    async with receiving(interim + b"HTTP/1.1 %d Final\r\n\r\n" % final) as (_, port):
        assert await sent(f"http://127.0.0.1:{port}/") == delivery
    async with receiving(interim) as (_, port):
        assert await sent(f"http://127.0.0.1:{port}/") == Delivery.FAILED


async def test_a_host_that_does_not_answer_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(post, "TIMEOUT_S", 0.01)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert await sent(f"http://127.0.0.1:{port}/") == Delivery.FAILED
    assert await sent(f"http://127.0.0.1:{port}/") == Delivery.FAILED  # refused


# -- hosts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
        *("100.64.0.1", "224.0.0.1", "239.1.1.1", "255.255.255.255"),
        *("fec0::1", "64:ff9b:1::a00:1", "::7f00:1", "::ffff:0:7f00:1", "5f00::1", "3fff::1"),
        *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1", "ff0e::1", "2001:db8::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::"),
    ],
)
def test_any_other_address_is_not(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1", "2130706433", "0", "::1", "169.254.169.254"])
async def test_a_host_inside_is_called_only_if_that_is_allowed(host: str) -> None:
    with pytest.raises(Forbidden, match="not a public address"):
        await resolved(host, 80, private=False)
    assert await resolved(host, 80, private=True)


async def test_a_slow_lookup_holds_up_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends with the attempt, and takes no thread that other work needs."""
    answered = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answered.wait() and [])
    monkeypatch.setattr(post, "TIMEOUT_S", 0.01)
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    try:
        assert await sent("http://slow.example/") == Delivery.FAILED
        assert await asyncio.to_thread(lambda: "not held up") == "not held up"
    finally:
        answered.set()


async def test_a_host_without_an_address_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror("unknown")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert await sent("http://unknown.example/") == Delivery.FAILED


async def test_a_host_inside_gets_no_connection() -> None:
    async with receiving() as (received, port):
        assert await sent(f"http://localhost:{port}/", private=False) == Delivery.REJECTED
    assert received.requests == []


async def test_the_connection_is_made_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name server may answer otherwise the next time."""
    answers = [["192.168.1.1", "8.8.8.8"], ["127.0.0.1"]]
    called: list[Any] = []

    async def lookup(host: str, port: int) -> list[str]:
        return answers.pop(0)

    async def connect(host: str, port: int, **_: Any) -> None:
        called.append((host, port))
        raise ConnectionRefusedError

    monkeypatch.setattr(post, "looked_up", lookup)
    monkeypatch.setattr(asyncio, "open_connection", connect)
    assert await sent("http://example.org/", private=False) == Delivery.FAILED
    assert called == [("8.8.8.8", 80)]


@pytest.mark.parametrize("host", ["example.org", "example.org.", "8.8.8.8", "2001:4860:4860::8888", "a.b-1.example"])
def test_a_host_may_be_public(host: str) -> None:
    assert may_be_public(host)


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "localhost.", "a.localhost", "server", "server.", ""),
        *("127.0.0.1", "127.1", "0x7f.1", "2130706433", "0", "10.0.0.1", "10.0.0.1.", "::1", "fe80::1%eth0", "fc00::1"),
    ],
)
def test_a_host_that_can_only_be_private_is_known_without_a_lookup(host: str) -> None:
    assert not may_be_public(host)
