"""The example client with plain `fetch`: a game to its end, and errors in words."""

import select
import shutil
import socket
import socketserver
import subprocess
import threading
from pathlib import Path

import pytest

from lab.browser import page_server
from tests.door.harness import address_of

EXAMPLE = Path(__file__).parents[2] / "clients" / "examples" / "fetch" / "play.mjs"


def played(*arguments: str) -> subprocess.CompletedProcess[str]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not here")
    return subprocess.run([node, EXAMPLE, *arguments], capture_output=True, text=True, check=False, timeout=200)


def test_a_game_is_played_to_its_end() -> None:
    with page_server("--workers", "1", "--max-time", "0.02") as (_, url):
        done = played(url.rstrip("/"), "toy")
    assert (done.returncode, done.stderr) == (0, "")
    *moves, end = done.stdout.splitlines()
    assert moves
    assert end.startswith("shares of the win: ")


class Cutting(socketserver.BaseRequestHandler):
    """Passes bytes on to a door, and cuts each of the first connections in the middle of what it answers."""

    door: tuple[str, int]
    cuts: list[int]  # bytes of an answer after which a connection is cut, the next one last

    def handle(self) -> None:
        left = self.cuts.pop() if self.cuts else None
        with socket.create_connection(self.door) as door:
            while left is None or left > 0:
                ready, _, _ = select.select([self.request, door], [], [])
                data = ready[0].recv(min(left or 65536, 65536))
                if not data:
                    break
                (door if ready[0] is self.request else self.request).sendall(data)
                if left is not None and ready[0] is door:
                    left -= len(data)


class Relay(socketserver.ThreadingTCPServer):
    daemon_threads = True


def test_a_game_goes_on_through_connections_that_break() -> None:
    with page_server("--workers", "1", "--max-time", "0.02") as (_, url):
        Cutting.door, Cutting.cuts = address_of(url), [3000, 2500, 1500, 1000, 900, 600, 100, 20]
        with Relay(("127.0.0.1", 0), Cutting) as relay:
            threading.Thread(target=relay.serve_forever, daemon=True).start()
            done = played(f"http://127.0.0.1:{relay.server_address[1]}", "toy")
            relay.shutdown()
    assert (done.returncode, Cutting.cuts) == (0, [])
    assert "waiting for the server" in done.stderr
    assert done.stdout.splitlines()[-1].startswith("shares of the win: ")


def test_an_error_has_the_servers_words() -> None:
    with page_server("--workers", "1") as (_, url):
        done = played(url.rstrip("/"), "chess")
    assert done.returncode != 0
    assert "'chess' is not one of" in done.stderr


def test_it_is_short() -> None:
    assert len(EXAMPLE.read_text().splitlines()) <= 85
