"""Silent connections to a server with few file descriptors: the page, the gRPC port and the store go on."""

import re
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

import psutil
import pytest

from clerestory.clients import Advisor
from lab.load.server import ANNOUNCED
from tests.faults.conftest import POSITION
from tests.faults.limited import ROOT, limited
from tests.faults.strangers import PREFACE, SETTINGS, frame

PAGE = re.compile(r"page at http://127\.0\.0\.1:(\d+)/")
IDLE = 1  # seconds
LINES = 3  # in the log beside one a second
MANY = 9_500  # connections, on each port


class Limited(NamedTuple):
    """A server with few descriptors.

    Attributes:
        address: of its gRPC port.
        ports: of gRPC and of the page.
        process: its process.
        log: what it writes on standard error.
    """

    address: str
    ports: tuple[int, int]
    process: psutil.Process
    log: Path

    def page(self) -> int:
        with urlopen(f"http://127.0.0.1:{self.ports[1]}/") as answer:
            return int(answer.status)


@contextmanager
def serving(descriptors: int, folder: Path) -> Iterator[Limited]:
    """A server with a page and a store on disk, and its descriptors."""
    command = limited(descriptors, "serve", "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0", "--workers", "1")
    command += ["--log-level", "warning", "--idle-timeout", str(IDLE), "--store", str(folder / "games.sqlite")]
    options: dict[str, Any] = {"stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
    with (folder / "log").open("w") as log, subprocess.Popen(command, stderr=log, **options) as server:
        try:
            assert server.stdout is not None
            grpc, page = ANNOUNCED.search(server.stdout.readline()), PAGE.search(server.stdout.readline())
            assert grpc
            assert page
            ports = (int(grpc[1].rpartition(":")[2]), int(page[1]))
            yield Limited(grpc[1], ports, psutil.Process(int(grpc[3])), folder / "log")
            server.send_signal(signal.SIGTERM)
            assert server.wait() == 0
        finally:
            server.kill()


def come(ports: Sequence[int], number: int, stack: ExitStack, *, spread: bool = sys.platform == "linux") -> None:
    """Connect so many times to each port, from many addresses of this machine or one; every other begins HTTP/2."""
    for count in range(number):
        for port in ports:
            one = stack.enter_context(socket.socket())
            if spread:
                one.bind((f"127.0.{count // 250}.{1 + count % 250}", 0))
            one.connect(("127.0.0.1", port))
            if count % 2:
                one.sendall(PREFACE + frame(SETTINGS, 0, 0))


def use(server: Limited, advisor: Advisor) -> None:
    """Everything goes on: advice, the store, the page."""
    assert advisor.recommend(POSITION, iterations=5).best
    assert advisor.games.list() is not None
    assert server.page() == 200


@pytest.mark.parametrize(
    ("descriptors", "number"),
    [(64, 300), pytest.param(128, 300, marks=pytest.mark.slow), (1024, 1300)],
)
def test_idle_connections_on_both_ports_keep_nobody_out(descriptors: int, number: int, tmp_path: Path) -> None:
    with serving(descriptors, tmp_path) as server, Advisor(server.address) as early:
        use(server, early)
        began = time.monotonic()
        with ExitStack() as idle, Advisor(f"localhost:{server.ports[0]}") as late:
            come(server.ports, number, idle)
            use(server, early)
            assert server.process.num_fds() < descriptors
            assert late.recommend(POSITION, "60s", iterations=5).best
        with Advisor(server.address) as later:
            use(server, later)
        assert len(server.log.read_text().splitlines()) <= time.monotonic() - began + LINES


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="all of 127.0.0.0/8 is this machine on Linux only")
@pytest.mark.parametrize("spread", [True, False], ids=["many addresses", "one address"])
def test_ten_thousand_idle_connections(tmp_path: Path, spread: bool) -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with serving(4096, tmp_path) as server, Advisor(server.address) as early, ExitStack() as idle:
        for port in server.ports:
            come([port], min(MANY, most // 2 - 200), idle, spread=spread)
            use(server, early)
        with Advisor(f"localhost:{server.ports[0]}") as late:
            assert late.recommend(POSITION, "60s", iterations=5).best
