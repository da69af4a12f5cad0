"""Stores for tests."""

from pathlib import Path

import pytest


@pytest.fixture(params=["memory", "file"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store in SQLite."""
    return "memory:" if request.param == "memory" else str(tmp_path / "folder" / "games.sqlite")


@pytest.fixture(params=["memory", "file", "database"])
def name(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store of any sort."""
    if request.param == "database":
        found: str = request.getfixturevalue("database")
        return found
    return "memory:" if request.param == "memory" else str(tmp_path / "folder" / "games.sqlite")
