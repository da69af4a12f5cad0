"""Servers of an earlier revision, built from the history of this repository, and ours have one store in turns."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from clerestory.arena.errors import BadBot
from clerestory.arena.revisions import built, named
from clerestory.clients.child import child_server
from clerestory.clients.errors import Unavailable
from clerestory.games.upkeep import migrate_store, survey
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.games.earlier import FIRST, VERSION
from tests.games.table import PERSON, Table, seated
from tests.server.harness import served

# Of PostgreSQL: it was built without them.
DRIVERS = ("psycopg", "psycopg_pool", "psycopg_binary", "psycopg_binary.libs", "typing_extensions.py")


@pytest.fixture
def earlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A context with the stub of a server of the earlier revision, given its store."""
    try:
        named(FIRST)
    except BadBot:
        pytest.skip("the history is not here")
    command = [str(built(FIRST) / "venv" / "bin" / "clerestory")]
    for place in map(Path, sys.path):
        for name in DRIVERS:
            if (place / name).exists() and not (tmp_path / "drivers" / name).exists():
                (tmp_path / "drivers").mkdir(exist_ok=True)
                (tmp_path / "drivers" / name).symlink_to(place / name)

    @asynccontextmanager
    async def context(store: str) -> AsyncIterator[Any]:
        with monkeypatch.context() as patch:
            patch.setenv("PYTHONPATH", str(tmp_path / "drivers"))
            with child_server(command, "--store", store, "--workers", "1") as child:
                async with grpc.aio.insecure_channel(child.target) as channel:
                    yield GameServiceStub(channel)

    return context


async def play(tables: list[Table], plies: int) -> int:
    """Play at tables in turns; return the version of the game."""
    for number in range(plies):
        version = (await tables[number % len(tables)].play_first()).game.version
    return version


async def assert_refused(earlier: Any, store: str) -> None:
    """See a server of the earlier revision refuse a store."""
    with pytest.raises(Unavailable):
        async with earlier(store):
            pass


@pytest.mark.slow
async def test_one_goes_on_beside_ours_and_returns_to_the_database(earlier: Any, database: str) -> None:
    pytest.importorskip("psycopg_pool", reason="the earlier revision needs it")
    async with earlier(database) as before:
        played = await seated(before, None, PERSON, PERSON, game="duel")
        await play([played], 10)
        async with served(store=database) as server:
            after: Any = GameServiceStub(server.channel)
            await play([played, Table(after, server.app, played.made)], 20)
            other = await seated(before, None, PERSON, PERSON, game="cathedral")
            await play([Table(after, server.app, other.made), other], 10)
        version = await play([played], 5)
    await assert_refused(earlier, database)
    await migrate_store(database, VERSION["database"])
    async with earlier(database) as before:
        again = Table(before, None, played.made)
        assert (await again.look()).game.version == version
        await play([again, Table(before, None, other.made)], 10)


@pytest.mark.slow
async def test_one_returns_to_the_file(earlier: Any, tmp_path: Path) -> None:
    store = str(tmp_path / "games.sqlite")
    async with earlier(store) as before:
        played = await seated(before, None, PERSON, PERSON, game="duel")
        await play([played], 10)
    async with served(store=store) as server:
        version = await play([Table(GameServiceStub(server.channel), server.app, played.made)], 20)
    await assert_refused(earlier, store)
    await migrate_store(store, VERSION["file"])
    assert (await survey(store)).version == VERSION["file"]
    async with earlier(store) as before:
        again = Table(before, None, played.made)
        assert (await again.look()).game.version == version
        await play([again], 10)
