"""Servers as separate processes, and calls that strain them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.load.server import ServerProcess, own_server
from tests.faults.disks import small_disk  # noqa: F401  # a fixture

POSITION = json.loads(
    (Path(__file__).parents[2] / "examples" / "positions" / "cathedral-3p-round4-draft.json").read_text()
)


@pytest.fixture(autouse=True)
def _slack(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave searches time to answer on a machine that has other things to do."""
    monkeypatch.setattr("clerestory.clients.wire.SLACK", 60.0)


@pytest.fixture
def server() -> Iterator[ServerProcess]:
    with own_server("--workers", "2", "--max-searches", "64") as server:
        yield server
