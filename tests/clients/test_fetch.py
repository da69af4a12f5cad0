"""The example client with plain `fetch`: a game to its end, and errors in words."""

import shutil
import subprocess
from pathlib import Path

import pytest

from lab.browser import page_server
from tests.clients.relay import cutting
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


def test_a_game_goes_on_through_connections_that_break() -> None:
    cuts = [3000, 2500, 1500, 1000, 900, 600, 100, 20]
    with page_server("--workers", "1", "--max-time", "0.02") as (_, url), cutting(address_of(url), cuts) as relay:
        done = played(relay, "toy")
    assert (done.returncode, cuts) == (0, [])
    assert "waiting for the server" in done.stderr
    assert done.stdout.splitlines()[-1].startswith("shares of the win: ")


def test_an_error_has_the_servers_words() -> None:
    with page_server("--workers", "1") as (_, url):
        done = played(url.rstrip("/"), "chess")
    assert done.returncode != 0
    assert "'chess' is not one of" in done.stderr


def test_it_is_short() -> None:
    assert len(EXAMPLE.read_text().splitlines()) <= 60
