"""Silent connections to a server with few file descriptors: other callers are still answered."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import psutil
import pytest

from clerestory.clients import Advisor
from loadtest.server import ANNOUNCED
from tests.faults.conftest import POSITION

FEW = 64  # descriptors, some twenty of which a server has before anybody calls
LIMITED = ["sh", "-c", f'ulimit -n {FEW} && exec "$@"', "sh"]


@pytest.fixture
def limited() -> Iterator[tuple[str, psutil.Process]]:
    """The address of a server with few descriptors, and its process."""
    command = [*LIMITED, sys.executable, "-m", "clerestory", "serve", "--listen", "127.0.0.1:0", "--workers", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            announced = ANNOUNCED.search(server.stdout.readline())
            assert announced
            yield announced[1], psutil.Process(int(announced[3]))
        finally:
            server.kill()


def test_silent_connections_keep_nobody_out(limited: tuple[str, psutil.Process]) -> None:
    address, server = limited
    host, port = address.split(":")
    with ExitStack() as silent, Advisor(address) as early, Advisor(f"localhost:{port}") as late:
        assert early.recommend(POSITION, iterations=5).best
        for _ in range(3 * FEW):
            silent.enter_context(socket.create_connection((host, int(port))))
        assert early.recommend(POSITION, iterations=5).best
        assert server.num_fds() < FEW
        assert late.recommend(POSITION, "60s", iterations=5).best
