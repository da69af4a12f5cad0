"""Servers in separate processes, and calls that strain them: every test here is marked `system` or `slow`."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadtest.server import ServerProcess, own_server
from tests.faults.disks import small_disk  # noqa: F401  # a fixture

POSITION = json.loads(
    (Path(__file__).parents[2] / "examples" / "positions" / "cathedral-3p-round4-draft.json").read_text()
)


@pytest.hookimpl(tryfirst=True)  # before tests are deselected by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents and item.get_closest_marker("slow") is None:
            item.add_marker(pytest.mark.system)


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give searches time to answer on a busy machine."""
    monkeypatch.setattr("clerestory.clients.wire.SLACK", 300.0)


@pytest.fixture
def server() -> Iterator[ServerProcess]:
    with own_server("--workers", "2", "--max-searches", "64") as server:
        yield server
