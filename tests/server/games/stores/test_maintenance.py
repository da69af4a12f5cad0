"""Stores are copied while a server writes to them, and servers of two versions share a database."""

import asyncio
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from clerestory.cli.servers import embedded_child
from clerestory.declared import BadSettings
from clerestory.server.games.store import Batch
from clerestory.server.games.stores import maintenance, postgres_schema, schema
from clerestory.server.games.stores.maintenance import copy_store, migrate_store, survey
from clerestory.server.games.stores.postgres_schema import BACK, SCRIPTS
from clerestory.server.games.stores.schema import open_file
from clerestory.server.games.stores.sqlite import SqliteStore, file_of
from clerestory.server.games.stores.store_location import of_file, open_store
from clerestory.v1.games_pb2_grpc import GameServiceStub
from loadtest.faults.postgres import Cluster, program
from tests.server.games.damage import spoil
from tests.server.games.earlier import unpack_file
from tests.server.games.table import PERSON, Table, seated, seated_at
from tests.server.games.test_store import RUNNING, named
from tests.server.rpc.harness import served, until

ENOUGH = 40  # entries answered before the copy is made, and again while it is
Answered = dict[str, tuple[Table, int]]  # each game by its id, and the version that was last answered


@asynccontextmanager
async def played_at(store: str) -> AsyncIterator[Answered]:
    """Yield the responses so far of a server in a separate process, while games are played there."""
    answered: Answered = {}

    async def play(stub: Any) -> None:
        while True:
            played = await seated(stub, None, PERSON, PERSON, game="duel", seed=None)
            for _ in range(30):
                answered[played.game_id] = played, (await played.play_first()).game.version

    with embedded_child("--store", store, "--workers", "1") as child:
        async with grpc.aio.insecure_channel(child.target) as channel:
            playing = asyncio.create_task(play(GameServiceStub(channel)))
            await more(answered)
            yield answered
            await more(answered)  # it went on
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)


async def more(answered: Answered) -> None:
    enough = sum(version for _, version in answered.values()) + ENOUGH
    await until(lambda: sum(version for _, version in answered.values()) >= enough)


def copy_of(store: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """Copy a store as docs/hosting.md says, and return the name of the copy."""
    if not store.startswith("postgresql:"):
        copy_store(Path(store), tmp_path / "copy")
        return str(tmp_path / "copy")
    cluster: Cluster = request.getfixturevalue("cluster")
    copy, dump = cluster.url(cluster.create()), f"{tmp_path}/dump"
    subprocess.run([program("pg_dump"), "--format=custom", f"--file={dump}", store], check=True)
    subprocess.run([program("pg_restore"), "--no-owner", f"--dbname={copy}", dump], check=True)
    return copy


@pytest.mark.system
async def test_a_copy_made_during_games_is_whole(durable: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    async with played_at(durable) as answered:
        before = dict(answered)
        copied = await asyncio.to_thread(copy_of, durable, tmp_path, request)
    async with served(store=copied) as server:
        for played, version in before.values():
            assert (await played.at(server).look()).game.version >= version
        await (await seated_at(server)).play_first()


async def test_a_head_that_is_no_text_is_counted_and_copied(durable: str) -> None:
    store = await open_store(durable)
    for game_id in ("a", "b"):
        await store.create(named(game_id), Batch([], RUNNING))
    await spoil(store, "game", "head", "id = 'a'")
    await store.close()
    found = await survey(durable)
    assert (found.games, [*found.frozen.values()]) == (2, [1])
    assert "owner" not in "".join(found.frozen)


def modes(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()}


@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_only_their_owner_reads_stores_and_copies(mode: int, tmp_path: Path) -> None:
    store, copy = tmp_path / "new folder" / "store", tmp_path / "copy"
    connection = open_file(str(store))
    assert modes(store.parent) == {"store": 0o600, "store-wal": 0o600}
    connection.close()
    store.chmod(mode)  # the administrator's choice, which is kept
    open_file(str(store)).close()
    copy_store(store, copy)
    assert [modes(store.parent)["store"], modes(tmp_path)["copy"]] == [mode, 0o600]


def test_a_store_behind_a_link_is_copied_with_its_log(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    link, store = tmp_path / "store", tmp_path / "disk" / "games.sqlite"
    link.symlink_to(store)
    serving = SqliteStore(str(link))
    assert modes(store.parent) == {"games.sqlite": 0o600, "games.sqlite-wal": 0o600}
    assert copy_store(link, tmp_path / "copy").version == len(schema.SCRIPTS)
    assert of_file(file_of(str(link)) or link).folder == store.parent  # whose disk is watched
    asyncio.run(serving.close())
    (tmp_path / "other").symlink_to(tmp_path / "copy")
    assert copy_store(tmp_path / "other", tmp_path / "again").version == len(schema.SCRIPTS)


class Writer:
    """Replaces `copy_privately`: after a copy, restarts the log of the file, for the first `times` copies."""

    def __init__(self, tmp_path: Path, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path, self.copy = Path(unpack_file(tmp_path / "games.sqlite")), tmp_path / "copy"
        self.times, self.touched, self.connection = times, 1, open_file(str(self.path))
        monkeypatch.setattr(maintenance, "copy_privately", self)

    def __call__(self, source: Path, target: Path) -> None:
        shutil.copyfile(source, target)
        if source == self.path and self.times:
            self.times -= 1
            self.touched += 1
            self.connection.execute("UPDATE game SET touched = ?", (self.touched,))
            self.connection.execute("PRAGMA wal_checkpoint(RESTART)")
            self.connection.execute("UPDATE store SET secret = zeroblob(?)", (32 + self.times,))


def test_a_copy_is_repeated_if_the_log_was_restarted_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer(tmp_path, 3, monkeypatch)
    copy_store(writer.path, writer.copy)
    assert writer.times == 0
    there = writer.connection.execute("SELECT * FROM game ORDER BY id").fetchall()
    writer.connection.close()
    with closing(open_file(str(writer.copy))) as copied:
        assert copied.execute("SELECT * FROM game ORDER BY id").fetchall() == there


def test_a_file_that_changes_all_the_time_is_not_copied_badly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer(tmp_path, 10_000, monkeypatch)
    with pytest.raises(BadSettings, match="changes faster than it can be copied"):
        copy_store(writer.path, writer.copy)
    writer.connection.close()
    assert not writer.copy.exists()


LATER = (
    *SCRIPTS,
    "ALTER TABLE game ADD COLUMN later INTEGER NOT NULL DEFAULT 0; CREATE INDEX game_later ON game (later)",
)


@pytest.mark.system
async def test_servers_of_two_versions_share_games(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The later version is this program with one more column."""

    @contextmanager
    def later() -> Iterator[None]:
        with monkeypatch.context() as patch:
            patch.setattr(postgres_schema, "SCRIPTS", LATER)
            patch.setattr(postgres_schema, "BACK", BACK | {len(LATER): "ALTER TABLE game DROP COLUMN later"})
            yield

    async with served(store=database) as old:
        played = await seated_at(old, game="duel")
        await played.play_first()
        with later():
            async with served(store=database) as new:
                assert (await survey(database)).version == len(LATER)
                for number in range(20):
                    answer = await (played, played.at(new))[number % 2].play_first()
                await (await seated_at(old)).at(new).play_first()
                with pytest.raises(BadSettings, match="running servers use it; stop them first"):
                    await migrate_store(database, len(SCRIPTS))
        assert (await played.look()).game.version == answer.game.version
    formats = rf"\(format {len(LATER)}; this one reads up to {len(SCRIPTS)}\)"
    with pytest.raises(BadSettings, match=f"later version of Clerestory {formats}"):
        await open_store(database)
    with later():
        await migrate_store(database, len(SCRIPTS))
    async with served(store=database) as old:
        assert (await played.at(old).look()).game.version == answer.game.version
        await played.at(old).play_first()
