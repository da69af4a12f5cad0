"""Stores for tests."""

from pathlib import Path

import pytest


@pytest.fixture(params=["memory", "file"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store in SQLite."""
    return "memory:" if request.param == "memory" else str(tmp_path / "folder" / "games.sqlite")


@pytest.fixture(params=["file", "database"])
def durable(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store that can be opened again."""
    return place(request, tmp_path)


@pytest.fixture(params=["memory", "file", "database"])
def name(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store of any sort."""
    return place(request, tmp_path)


def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the store of a fixture's sort is."""
    if request.param == "database":
        found: str = request.getfixturevalue("database")
        return found
    return "memory:" if request.param == "memory" else str(tmp_path / "folder" / "games.sqlite")
