"""The example client with plain `fetch`: a game to its end, and errors in words."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tools.browser import page_server

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


def test_an_error_has_the_servers_words() -> None:
    with page_server("--workers", "1") as (_, url):
        done = played(url.rstrip("/"), "chess")
    assert done.returncode != 0
    assert "'chess' is not one of" in done.stderr


def test_it_is_short() -> None:
    assert len(EXAMPLE.read_text().splitlines()) <= 60
