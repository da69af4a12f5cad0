"""Fixtures of the tests of commands."""

from math import inf

import pytest

from clerestory.cli.screen import ProgressLines
from tests.faults.disks import small_disk  # noqa: F401  # a fixture


@pytest.fixture(autouse=True)
def no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """Print the same on slow machines."""
    monkeypatch.setattr(ProgressLines, "first", inf)
