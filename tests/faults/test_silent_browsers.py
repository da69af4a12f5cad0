"""Silent connections to the page of a server with few file descriptors: everybody else is answered."""

import resource
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import psutil
import pytest

from clerestory.clients import Advisor
from lab.load.server import ANNOUNCED
from tests.door.harness import RULES, address_of
from tests.faults.limited import ROOT, limited

SERVE = ("serve", "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0", "--workers", "1", "--while-stdin")
ASKED = f"HEAD {RULES}ListGames HTTP/1.1\r\nhost: localhost\r\n".encode()
OTHER = "127.0.0.9"


@contextmanager
def serving(descriptors: int, store: Path, log: IO[str]) -> Iterator[tuple["subprocess.Popen[str]", str, int]]:
    """Yield a server with few descriptors, its address, and the port of its page."""
    command = limited(descriptors, *SERVE, "--store", str(store))
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=log, text=True, cwd=ROOT) as server:
        try:
            assert server.stdout is not None
            announced = ANNOUNCED.search(server.stdout.readline())
            page = server.stdout.readline().split()[-1]
            assert announced
            yield server, announced[1], address_of(page)[1]
        finally:
            server.kill()


def answered(browser: socket.socket) -> bool:
    """Whether a request on a connection, which is kept, is answered by the door."""
    browser.sendall(ASKED + b"\r\n")
    return browser.recv(4096).startswith(b"HTTP/1.1 405 ")


def let_in(port: int) -> bool:
    """Whether a new connection is answered by the door, which then closes it."""
    with socket.create_connection(("127.0.0.1", port), 20, (OTHER, 0)) as browser, browser.makefile("rb") as read:
        browser.sendall(ASKED + b"connection: close\r\n\r\n")
        return read.read().startswith(b"HTTP/1.1 405 ")


def silent(stack: ExitStack, port: int, count: int, many: bool) -> None:
    """Open connections that say nothing, from one address or from many."""
    for number in range(count):
        one = stack.enter_context(socket.socket())
        if many:
            one.bind((f"127.1.{number // 250}.{1 + number % 250}", 0))
        one.setblocking(False)
        one.connect_ex(("127.0.0.1", port))
        if number % 50 == 49:
            time.sleep(0.005)


def keep_out_nobody(descriptors: int, count: int, many: bool, folder: Path) -> None:
    """Hold silent connections to the page, and see everybody else served, the log short, and an orderly end."""
    with (folder / "log").open("w") as log, serving(descriptors, folder / "games", log) as (server, address, port):
        began = time.monotonic()
        with ExitStack() as stack, Advisor(address) as advisor:
            kept = stack.enter_context(socket.create_connection(("127.0.0.1", port), 20, (OTHER, 0)))
            assert answered(kept)
            silent(stack, port, count, many)
            assert all(let_in(port) for _ in range(20))
            assert answered(kept)
            assert advisor.rules.games()
            assert psutil.Process(server.pid).num_fds() < descriptors
            server.send_signal(signal.SIGTERM)
            assert server.wait(120) == 0
        seconds = time.monotonic() - began
    lines = (folder / "log").read_text().splitlines()
    assert len([line for line in lines if "connections closed" in line]) <= seconds + 2
    assert not [line for line in lines if "Traceback" in line]


@pytest.mark.parametrize("many", [False, True], ids=["one", "many"])
@pytest.mark.parametrize(("descriptors", "count"), [(64, 300), (128, 300), (1024, 1300)])
def test_silent_browsers_keep_nobody_out(descriptors: int, count: int, many: bool, tmp_path: Path) -> None:
    keep_out_nobody(descriptors, count, many, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("many", [False, True], ids=["one", "many"])
def test_ten_thousand_silent_browsers_keep_nobody_out(many: bool, tmp_path: Path) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 < most < 11_000:
        pytest.skip("this process may not open 10,000 connections")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    keep_out_nobody(4096, 10_000, many, tmp_path)
