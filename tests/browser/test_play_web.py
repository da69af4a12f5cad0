"""`clerestory play --web`: the printed link leads to the game."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.harness import PATIENCE, settled

PLAY = [sys.executable, "-m", "clerestory", "play", "--web", "--game", "duel", "--time", "100ms"]


@contextmanager
def played(folder: Path, seats: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yield a process and the link that it prints; its games are stored in a separate folder."""
    own = os.environ | {"XDG_DATA_HOME": str(folder), "HOME": str(folder)}
    own.pop("CLERESTORY_STORE", None)
    with subprocess.Popen([*PLAY, "--seats", seats], env=own, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found
            yield process, found[0]
        finally:
            process.terminate()


@pytest.mark.parametrize("seats", ["person,level:1", "person,person"])
def test_the_link_leads_to_the_game(browser: Browser, tmp_path: Path, seats: str) -> None:
    with played(tmp_path, seats) as (process, link), browser.new_context() as context:
        page = context.new_page()
        page.goto(link, timeout=PATIENCE)
        assert settled(page)
        kept = page.evaluate("Object.values(localStorage).map(one => JSON.parse(one))[0]")
        assert len(kept["seats"]) == seats.count("person")
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
