"""Servers of an earlier revision, built from the history of this repository, and ours take turns with one store."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from clerestory.clients.child import child_server
from clerestory.clients.errors import Unavailable
from clerestory.search.arena.errors import BadBot
from clerestory.search.arena.revisions import built, named
from clerestory.server.games.stores.maintenance import migrate_store, survey
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.parts import missing
from tests.server.games.earlier import FIRST, VERSION
from tests.server.games.table import PERSON, Table, seated
from tests.server.rpc.harness import served

pytestmark = [pytest.mark.system, pytest.mark.slow]

# Of PostgreSQL: the earlier revision was built without them.
DRIVERS = ("psycopg", "psycopg_pool", "psycopg_binary", "psycopg_binary.libs", "typing_extensions.py")


@pytest.fixture
def earlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A context with the stub of a server of the earlier revision, given its store."""
    try:
        named(FIRST)
    except BadBot:
        missing(f"revision {FIRST}", "git fetch --unshallow")
    command = [str(built(FIRST) / "venv" / "bin" / "clerestory")]
    drivers = tmp_path / "drivers"
    drivers.mkdir()
    for name in DRIVERS:
        for found in [place / name for place in map(Path, sys.path) if (place / name).exists()][:1]:
            (drivers / name).symlink_to(found)

    @asynccontextmanager
    async def context(store: str) -> AsyncIterator[Any]:
        with monkeypatch.context() as patch:
            patch.setenv("PYTHONPATH", str(drivers))
            with child_server(command, "--store", store, "--workers", "1") as child:
                async with grpc.aio.insecure_channel(child.target) as channel:
                    yield GameServiceStub(channel)

    return context


async def play(tables: list[Table], plies: int) -> int:
    """Play at tables in turns; return the version of the game."""
    for number in range(plies):
        version = (await tables[number % len(tables)].play_first()).game.version
    return version


async def test_an_earlier_server_and_ours_take_turns(earlier: Any, durable: str) -> None:
    """With a database they also run at the same time. The earlier one returns once the tables are taken back."""
    is_database = durable.startswith("postgresql:")
    async with earlier(durable) as before:
        played = await seated(before, None, PERSON, PERSON, game="duel")
        await play([played], 10)
        if is_database:
            async with served(store=durable) as server:
                await play([played, played.at(server)], 20)
                other = await seated(before, None, PERSON, PERSON, game="cathedral")
                await play([other.at(server), other], 10)
            await play([played], 5)
    async with served(store=durable) as server:
        version = await play([played.at(server)], 10)
    with pytest.raises(Unavailable):
        async with earlier(durable):
            pass
    format_before = VERSION["database" if is_database else "file"]
    await migrate_store(durable, format_before)
    assert (await survey(durable)).version == format_before
    async with earlier(durable) as before:
        again = Table(before, None, played.made)
        assert (await again.look()).game.version == version
        await play([again], 10)
