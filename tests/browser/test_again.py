"""A test that has waited in vain tells why, and is run again, also as the last of its process."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFTEST = """
from pathlib import Path
from tests.browser import conftest
from tests.browser.conftest import *
from tests.conftest import pytest_terminal_summary

conftest.HERE = Path(__file__).parent
"""
TEST = """
from tests.browser.harness import start

TRIES = []


def test_that_waits_in_vain_once(page):
    with page.expect_request("**/WatchGame"):
        start(page)
    TRIES.append(1)
    page.wait_for_function("tries => tries > 1", arg=len(TRIES), timeout=100)
"""


def test_a_wait_in_vain(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(TEST)
    command = [sys.executable, "-m", "pytest", "-c", "pyproject.toml", "-p", "no:cacheprovider"]
    found = subprocess.run([*command, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    assert "1 passed, 1 rerun" in found
    assert "was run again" in found
    assert re.search(r"^waited in test_that_waits_in_vain_once:\d+$", found, re.MULTILINE)
    assert re.search(r"^page: \{'settled': 'mine', .*'version': '(\d+)'", found, re.MULTILINE)
    assert re.search(r"^calls under way: \[.*'WatchGame'", found, re.MULTILINE)
    assert re.search(r"^server: \{'status': 'GAME_STATUS_RUNNING', 'version': \d+", found, re.MULTILINE)
