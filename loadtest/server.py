"""A private server for a measurement: a real `clerestory serve` on a free port of this machine."""

import atexit
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

ANNOUNCED = re.compile(r"serves on (\S+) with (\d+) workers, process (\d+)")
PATIENCE = 60.0  # seconds to wait for its end


class ServerProcess(NamedTuple):
    """A server that runs as a child of this process."""

    target: str
    workers: int
    pid: int
    process: "subprocess.Popen[str]"


@contextmanager
def own_server(*options: str, listen: str = "127.0.0.1:0") -> Iterator[ServerProcess]:
    """Yield a server that runs for the duration of the `with`.

    Args:
        options: options of `clerestory serve`.
        listen: address; port 0 for a free one.

    Raises RuntimeError when it does not start.
    """
    command = [sys.executable, "-m", "clerestory", "serve", "--listen", listen]
    command += ["--while-stdin", "--log-level", "error", "--store", "memory:", *options]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with child:
        try:
            assert child.stdout is not None
            announced = ANNOUNCED.search(child.stdout.readline())
            if announced is None:
                raise RuntimeError("the server did not start")
            yield ServerProcess(announced[1], int(announced[2]), int(announced[3]), child)
        finally:
            end(child)


def free_port() -> int:
    """Return a port that the system does not assign to others while this process runs.

    A socket that does not listen reserves it. With SO_REUSEADDR, as servers set it, others may still bind the port
    explicitly; requests for any free port get another one.
    """
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind(("127.0.0.1", 0))
    atexit.register(one.close)
    return int(one.getsockname()[1])


def end(child: "subprocess.Popen[str]") -> None:
    """Terminate a server, and kill it if it does not exit."""
    child.terminate()
    try:
        child.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()
