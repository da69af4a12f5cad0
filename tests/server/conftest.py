"""Fixtures of servers, clients and clocks."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.server.games.table import Table, table
from tests.server.rpc.harness import Served, clock, served  # noqa: F401  # `clock` is a fixture
from tests.server.rpc.secured import files  # noqa: F401  # a fixture


@pytest.fixture
async def server() -> AsyncIterator[Served]:
    """A server for one test, in its event loop."""
    async with served() as server:
        yield server


@pytest.fixture
def rules(server: Served) -> Any:
    return server.rules


@pytest.fixture
async def played() -> AsyncIterator[Table]:
    """A game of two people at one screen, on a server for one test."""
    async with table() as played:
        yield played
