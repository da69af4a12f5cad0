"""Stores for tests: in memory, in a file, and, for system tests, in PostgreSQL."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from clerestory.server.games.stores.sqlite import SqliteStore
from clerestory.server.games.stores.store_location import open_store
from tests.faults.disks import small_disk  # noqa: F401  # a fixture

MEMORY_AND_FILE = ["memory", "file"]
DATABASE = pytest.param("database", marks=pytest.mark.system)


def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return where a store of the fixture's sort is."""
    if request.param == "database":
        return str(request.getfixturevalue("database"))
    return "memory:" if request.param == "memory" else str(tmp_path / "folder" / "games.sqlite")


@pytest.fixture(params=["file", DATABASE])
def durable(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The name of a store that can be opened again."""
    return place(request, tmp_path)


@pytest.fixture(params=[*MEMORY_AND_FILE, DATABASE])
def name(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The name of a store of any sort."""
    return place(request, tmp_path)


@pytest.fixture
async def store(name: str) -> AsyncIterator[Any]:
    """An open store of any sort."""
    opened = await open_store(name)
    yield opened
    await opened.close()


@pytest.fixture(params=MEMORY_AND_FILE)
async def sqlite(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = SqliteStore(place(request, tmp_path))
    yield opened
    await opened.close()
