"""The page behind the Envoy of deploy/: strangers' requests reach the gateway whole, bounded, or not at all."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from loadtest.server import free_port
from tests.faults.conftest import POSITION
from tests.server.gateway.envoy import encrypted, in_front
from tests.server.gateway.harness import ADVICE, RULES
from tools.lab.browser import page_server

LIST = RULES + "ListGames"
MANY = 50
LOG = "server.log"


@pytest.fixture
def public(envoy: str, tmp_path: Path) -> Iterator[tuple[psutil.Process, int]]:
    """The process of a server, and the port of Envoy in front of its page."""
    options = ("--workers", "1", "--web-proxy", "127.0.0.1", "--log-level", "info", "--log-format", "json")
    with (tmp_path / LOG).open("w") as log, page_server(*options, log=log) as (server, url):
        tls = free_port()
        with in_front(envoy, tmp_path, {8080: int(url.rstrip("/").rpartition(":")[2]), 8443: tls}):
            yield psutil.Process(server.pid), tls


def head(verb: str, path: str, *lines: str, host: str = "127.0.0.1") -> bytes:
    return "\r\n".join([f"{verb} {path} HTTP/1.1", f"host: {host}", *lines, "", ""]).encode()


def said(port: int, request: bytes) -> int:
    """Return the status of the answer to bytes on a new connection."""
    with encrypted(port) as connection, connection.makefile("rb") as answer:
        connection.sendall(request)
        return int(answer.readline().split()[1])


POST = ("content-type: application/json", "connection: close")
REQUESTS = [
    (head("POST", LIST, *POST, "content-length: 2") + b"{}", 200),
    (head("GET", LIST), 405),
    (head("GET", "/", host="evil.example"), 403),
    (head("GET", "/", "origin: http://[::1"), 403),
    (head("GET", "/..%2f..%2fetc/passwd"), 404),
    (head("GET", "/", "x: " + "y" * 17_000), 431),
    (head("GET", "/", *["x: y"] * 101), 431),
    (head("POST", LIST, *POST, "content-length: 2", "transfer-encoding: chunked") + b"2\r\n{}\r\n0\r\n\r\n", 400),
    (head("POST", LIST, *POST, "content-length: 70000") + b" " * 70_000, 413),
    (head("POST", LIST, *POST, "transfer-encoding: chunked") + b"1\r\n \r\n" * 300 + b"2\r\n{}\r\n0\r\n\r\n", 200),
]


def test_bad_requests_of_strangers_are_rejected(public: tuple[psutil.Process, int]) -> None:
    _, port = public
    assert [said(port, request) for request, _ in REQUESTS] == [status for _, status in REQUESTS]


def test_slow_requests_do_not_reach_the_gateway(public: tuple[psutil.Process, int]) -> None:
    server, port = public
    before = server.num_fds()
    with ExitStack() as slow:
        for _ in range(MANY):
            connection = slow.enter_context(encrypted(port))
            connection.sendall(head("POST", LIST, "content-type: application/json", "content-length: 9000") + b"{")
        assert said(port, REQUESTS[0][0]) == 200
        assert server.num_fds() < before + MANY


def test_nobody_chooses_the_address_that_a_call_counts_for(public: tuple[psutil.Process, int], tmp_path: Path) -> None:
    _, port = public
    body = json.dumps({"position": POSITION, "iterations": 1}).encode()
    lines = (*POST, "x-forwarded-for: 192.0.2.7", f"content-length: {len(body)}")
    assert said(port, head("POST", ADVICE + "RecommendMove", *lines) + body) == 200
    while '"caller"' not in (told := (tmp_path / LOG).read_text()):  # otherwise the test fails by its timeout
        time.sleep(0.05)
    [caller] = re.findall(r'"caller": "[^"/]*/([^"]*)"', told)
    assert caller != "192.0.2.7"
