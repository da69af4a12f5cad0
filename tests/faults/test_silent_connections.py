"""Silent connections to a server with few file descriptors: the page, the gRPC port and the store keep working."""

import re
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import psutil
import pytest

from clerestory.clients import Advisor
from loadtest.connections import PREFACE, SETTINGS, frame
from loadtest.server import ANNOUNCED
from tests.faults.conftest import POSITION
from tests.parts import missing

PAGE = re.compile(r"page at http://127\.0\.0\.1:(\d+)/")
LINES = 3  # of the log besides one per second and port
PATIENCE = 300.0  # seconds
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv.pop(1)),) * 2)
from clerestory.cli.main import main
main()
"""


@dataclass(frozen=True)
class Limited:
    """A server with few descriptors."""

    address: str  # of its gRPC port
    ports: tuple[int, int]  # of gRPC and of the page
    process: psutil.Process
    log: Path

    def use(self, advisor: Advisor) -> None:
        """Require that everything works: advice, the store, the page."""
        assert advisor.recommend(POSITION, iterations=5).best
        assert advisor.games.list() is not None
        with urlopen(f"http://127.0.0.1:{self.ports[1]}/", timeout=PATIENCE) as answer:
            assert answer.status == 200


@contextmanager
def limited_server(descriptors: int, folder: Path) -> Iterator[Limited]:
    """Yield a server with a page and a store on disk, and require a clean shutdown."""
    command = [sys.executable, "-c", LIMITED, str(descriptors), "serve", "--listen", "127.0.0.1:0", "--workers", "1"]
    command += ["--web", "127.0.0.1:0", "--log-level", "warning", "--idle-timeout", "1"]
    command += ["--store", str(folder / "games.sqlite")]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True) as server,
    ):
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


def come(ports: Sequence[int], number: int, stack: ExitStack, *, spread: bool) -> None:
    """Make `number` connections to each port, from many addresses of this machine or one; every other begins HTTP/2."""
    for count in range(number):
        for port in ports:
            one = stack.enter_context(socket.socket())
            if spread:
                one.bind((f"127.0.{count // 250}.{1 + count % 250}", 0))
            one.connect(("127.0.0.1", port))
            if count % 2:
                one.sendall(PREFACE + frame(SETTINGS, 0, 0))


@pytest.mark.parametrize(
    ("descriptors", "number", "spread"),
    [
        (64, 300, True),
        (64, 300, False),
        (1024, 1300, True),
        pytest.param(128, 300, True, marks=pytest.mark.slow),
        pytest.param(1024, 1300, False, marks=pytest.mark.slow),
        pytest.param(4096, 9500, True, marks=pytest.mark.slow),
        pytest.param(4096, 9500, False, marks=pytest.mark.slow),
    ],
)
def test_silent_connections_keep_nobody_out(descriptors: int, number: int, spread: bool, tmp_path: Path) -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if 0 < most < 2 * number + 1000:
        missing(f"the right to open {2 * number + 1000:,} files", "ulimit -Hn 30000")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with limited_server(descriptors, tmp_path) as server, Advisor(server.address) as early:
        server.use(early)
        began = time.monotonic()
        with ExitStack() as silent, Advisor(f"localhost:{server.ports[0]}") as late:
            come(server.ports, number, silent, spread=spread)
            server.use(early)
            assert server.process.num_fds() < descriptors
            assert late.recommend(POSITION, "600s", iterations=5).best
        with Advisor(server.address) as later:
            server.use(later)
        lines = server.log.read_text().splitlines()
        assert len(lines) <= 2 * (time.monotonic() - began) + LINES
        assert not [line for line in lines if "Traceback" in line]
