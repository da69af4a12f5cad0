"""Errors of a store stay with those whose fault they are, and nobody waits for one that is gone."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clerestory.games import committer
from clerestory.games.opening import open_store
from clerestory.games.sqlite import SqliteStore
from clerestory.games.store import (
    Batch,
    GameFilter,
    Key,
    StoreDamaged,
    StoreError,
    StoreFull,
    Summary,
    Tally,
    Unreadable,
)
from tests.games.damage import overwrite, root_of, spoil
from tests.games.test_store import RUNNING, due, entries, made_by, named
from tests.room import files_of_at_most
from tests.server.harness import until


async def test_an_error_stays_in_its_own_job(path: str) -> None:
    """Of a number that SQLite cannot have, and of a bug, also beside jobs that are committed together with it."""

    def bug(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM entry")
        raise KeyError("what was to be stored")

    store = SqliteStore(path)
    await store.create(named("a"), Batch(entries(1), RUNNING))
    asked: list[Any] = [
        store.append("a", 1, Batch(entries(1), RUNNING)),
        store.select(GameFilter(9, before=(1 << 70, "x"))),
        store._ask(bug, "a"),
        store.append("a", 1 << 64, Batch(entries(1), RUNNING)),
        store.append("a", 2, Batch(entries(1), RUNNING)),
    ]
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(one) for one in found] == [type(None), StoreError, StoreError, StoreError, type(None)]
    assert str(found[2]) == "the store failed for game 'a': KeyError"
    assert await store.later("a", 0) == [*entries(1), *entries(1), *entries(1)]
    assert store.alive
    await store.close()


async def test_what_cannot_be_read_of_a_game_is_told(name: str) -> None:
    store = await open_store(name)
    for number, game_id in enumerate(("bad head", "no head", "bad entry", "level", "late", "gap", "late entry")):
        await store.create(named(game_id, number), Batch(entries(2), RUNNING))
    change = store._ask if isinstance(store, SqliteStore) else store._do  # type: ignore[attr-defined]
    await change(lambda to: to.execute("UPDATE game SET head = replace(head, 'person', 'secret') WHERE created = 0"))
    await change(lambda to: to.execute("UPDATE game SET head = '{' WHERE created = 1"))
    await change(lambda to: to.execute("UPDATE entry SET kind = 'new' WHERE game = 'bad entry' AND number = 1"))
    await change(
        lambda to: to.execute("UPDATE game SET head = replace(head, '1.0', '1.0,\"level\":99') WHERE created = 3")
    )
    await change(
        lambda to: to.execute(
            "UPDATE game SET head = replace(head, 'created\":', 'created\":999999999999999') WHERE created = 4"
        )
    )
    await change(lambda to: to.execute("DELETE FROM entry WHERE game = 'gap' AND number = 0"))
    await change(lambda to: to.execute("UPDATE entry SET moment = 9007199254740993 WHERE game = 'late entry'"))
    says = {"bad head": "seats.0.kind", "no head": "Invalid JSON", "bad entry": "entry 1 .* 'new'"}
    says |= {"level": "options.play_on.level", "late": "created", "gap": "entry 0 is missing", "late entry": "the time"}
    for game_id, text in says.items():
        with pytest.raises(Unreadable, match=text) as caught:
            await store.load(game_id)
        assert "secret" not in str(caught.value)
    assert await store.later("no head", 0) == entries(2)
    await store.close()


@pytest.mark.parametrize("what", ["moved", "replaced", "folder moved"])
async def test_nothing_is_stored_in_a_file_that_nobody_can_find(what: str, tmp_path: Path) -> None:
    file, other = tmp_path / "volume" / "games", tmp_path / "other"
    store = SqliteStore(str(file))
    gone = file.parent if what == "folder moved" else file
    gone.rename(other)
    if what == "replaced":
        file.write_bytes(b"")
    with pytest.raises(StoreError, match="put it back, or stop the server"):
        await store.create(named("a"), Batch(entries(1), RUNNING))
    await until(lambda: not store.alive)
    other.rename(gone)
    await store.create(named("a"), Batch(entries(1), RUNNING))
    await until(lambda: store.alive)
    await store.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_when_its_thread_ends_nobody_waits_for_ever(path: str) -> None:
    def die(_: sqlite3.Connection) -> None:
        raise SystemExit

    store = SqliteStore(path)
    asked: list[Any] = [store._ask(die), *(store.load("a") for _ in range(5))]
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(one) for one in found} == {StoreError}
    assert not store.alive
    with pytest.raises(StoreError):
        await store.load("a")
    await store.close()


async def test_a_store_that_hangs_is_left(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a disk that does not answer: calls end, it says that it does not live, and closing ends, too."""
    monkeypatch.setattr(committer, "ANSWER", 0.05)
    monkeypatch.setattr(committer, "CLOSING", 0.05)
    store, gate = SqliteStore(path), threading.Event()
    with pytest.raises(StoreError, match="no answer within"):
        await store._ask(lambda _: gate.wait())
    await until(lambda: not store.alive)  # its thread began later than the caller waits
    waiting = asyncio.ensure_future(store.load("a"))
    await asyncio.sleep(0)
    await store.close()
    with pytest.raises(StoreError):
        await waiting
    gate.set()


async def test_jobs_that_nobody_waits_for_any_more_do_not_pile_up(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a disk that does not answer for hours they would fill the memory."""
    store, begun, gate = SqliteStore(path), threading.Event(), threading.Event()
    hanging = asyncio.ensure_future(store._ask(lambda _: begun.set() or gate.wait()))
    await until(begun.is_set)
    monkeypatch.setattr(committer, "MOST_WAITING", 3)
    with monkeypatch.context() as hurried:
        hurried.setattr(committer, "ANSWER", 0.01)
        for _ in range(9):
            with pytest.raises(StoreError):
                await store.load("a")
    assert store._committer._jobs.qsize() == 3
    gate.set()
    await hanging
    await until(lambda: not store._committer._jobs.qsize())
    assert await store.load("a") is None
    await store.close()


async def test_a_disk_that_is_full_for_one_is_not_for_those_stored_with_it(path: str) -> None:
    store = SqliteStore(path)
    await store.create(named("a"), Batch(entries(1), RUNNING))
    await store._ask(lambda connection: connection.execute("PRAGMA max_page_count=1").fetchone())
    large: list[Any] = [store.append("a", 1, Batch(entries(1, "x" * 100_000), RUNNING)), store.load("a")]
    full, read = await asyncio.gather(*large, return_exceptions=True)
    assert isinstance(full, StoreFull)
    assert read == (named("a"), entries(1))
    assert store.alive
    await store.close()


@pytest.mark.parametrize("table", ["game", "key"])
async def test_a_file_that_is_damaged_meanwhile_is_told_for_good(
    tmp_path: Path, table: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Also while other pages can be read; what one game's rows alone lack is no damage of the file."""
    file = tmp_path / "games.sqlite"
    store = SqliteStore(str(file))
    await store.create(named("a"), Batch(entries(1), RUNNING))
    await store.close()
    damaged = root_of(file, table)
    store = SqliteStore(str(file))
    overwrite(file, *damaged)
    await store._ask(lambda connection: connection.execute("PRAGMA shrink_memory").fetchall())
    assert store.alive
    for _ in range(2):
        with pytest.raises(StoreDamaged, match="malformed"):
            await store.create(named("b"), Batch(entries(1), RUNNING, [Key("x")]))
    assert await store.later("a", 0) == entries(1)
    assert not store.alive
    assert sum("restore a back-up" in line for line in caplog.messages) == 1
    await store.close()


async def test_a_game_that_cannot_be_read_is_no_damage_of_the_file(path: str) -> None:
    store = SqliteStore(path)
    await store.create(named("a"), Batch(entries(1), RUNNING))
    await store._ask(lambda connection: connection.execute("UPDATE entry SET text = CAST(x'ff' AS TEXT)"))
    with pytest.raises(Unreadable):
        await store.load("a")
    assert store.alive
    await store.close()


# -- rows that are no text -------------------------------------------------------------------------


@pytest.mark.parametrize("bots_only", [False, True])
async def test_a_maker_that_is_no_text_is_an_odd_maker(name: str, bots_only: bool) -> None:
    store = await open_store(name)
    for number, maker in enumerate("aab"):
        summary = Summary("running", True, number, bots_only)
        await store.create(made_by(maker, number), Batch(entries(1), summary))
    await spoil(store, "game", "maker", "id = 'a0'")
    assert {*await due(store, 9, 9, bots_only=bots_only)} == {"a0", "a1", "b2"}
    found = [await due(store, 9, 1, bots_only=bots_only, skip=["a0"]) for _ in range(2)]
    assert found == ([["a1"], ["b2"]] if bots_only else [["a1"], ["a1"]])
    tally = await store.tally()
    assert (tally["a"].games, tally["b"].games, sum(tally.values(), Tally()).games) == (1, 1, 3)
    assert len(await store.delete_untouched(9, 9)) == 3
    await store.close()


@pytest.mark.parametrize("bots_only", [False, True])
async def test_a_game_whose_name_is_no_text_is_nobodys(name: str, bots_only: bool) -> None:
    """It is the first, and hides none of the others of its maker."""
    store = await open_store(name)
    for number in range(3):
        await store.create(made_by("a", number), Batch([], Summary("running", True, number, bots_only)))
    await spoil(store, "game", "id", "id = 'a1'")
    await store.append("a0", 0, Batch([], Summary("over", True, None, bots_only)))
    assert await due(store, 9, 1, bots_only=bots_only) == ["a2"]
    assert sorted(await due(store, 9, 9, bots_only=bots_only)) == ["a2"]
    assert {"a0", "a2"} < {game_id for game_id, _ in await store.select(GameFilter(9))}
    assert (await store.tally())["a"].games == 3
    assert sorted(await store.delete_untouched(1 << 62, 9)) == ["a0", "a2"]
    assert await store.delete_untouched(1 << 62, 9) == []
    await store.close()


@pytest.mark.parametrize(("table", "column"), [("game", "head"), ("entry", "text"), ("entry", "kind")])
async def test_a_game_that_is_no_text_is_told_without_it(name: str, table: str, column: str) -> None:
    store = await open_store(name)
    await store.create(named("a"), Batch(entries(2, "secret"), RUNNING))
    await spoil(store, table, column, "TRUE")
    with pytest.raises(Unreadable) as caught:
        await store.load("a")
    assert str(caught.value) == "its text is not UTF-8"
    assert store.alive
    await store.close()


async def test_an_error_quotes_no_row(path: str) -> None:
    """Here that of a job which reads more than one game."""
    store = SqliteStore(path)
    await store.create(named("a"), Batch(entries(1, "secret"), RUNNING))
    await spoil(store, "entry", "text", "TRUE")
    with pytest.raises(StoreError) as caught:
        await store._ask(lambda connection: connection.execute("SELECT text FROM entry").fetchall())
    assert str(caught.value) == "the store failed: OperationalError"
    await store.close()


# -- the disk --------------------------------------------------------------------------------------


async def test_a_full_disk_is_told_and_changes_nothing(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "games.sqlite"))
    await store.create(named("a"), Batch(entries(1), RUNNING))
    await store._ask(lambda connection: connection.execute("PRAGMA max_page_count=1").fetchone())
    with pytest.raises(StoreFull):
        for number in range(1000):
            await store.append("a", 1 + number, Batch(entries(1, "x" * 1000), RUNNING))
    found = await store.load("a")
    assert found is not None
    count = len(found[1])
    await store._ask(lambda connection: connection.execute("PRAGMA max_page_count=100000").fetchone())
    await store.append("a", count, Batch(entries(1), RUNNING))
    await store.close()


@pytest.fixture
def small_files() -> Iterator[None]:
    """No file of this process may have more than 300 kB."""
    with files_of_at_most(300_000):
        yield


@pytest.mark.usefixtures("small_files")
async def test_a_file_that_may_not_grow_is_full(tmp_path: Path) -> None:
    """SQLite says of it what it says of a disk that fails."""
    store = SqliteStore(str(tmp_path / "games.sqlite"))
    await store.create(named("a"), Batch(entries(1), RUNNING))
    with pytest.raises(StoreFull):
        for number in range(1000):
            await store.append("a", 1 + number, Batch(entries(1, "x" * 1000), RUNNING))
    assert await store.load("a")
    assert store.alive
    await store.close()


def test_a_write_that_a_disk_refuses_is_no_lack_of_room(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "games.sqlite")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE t (x)")
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
    assert not committer.lacks_room(connection, error)
    connection.close()


async def test_who_is_cancelled_as_the_store_answers_is_cancelled(path: str) -> None:
    """Or periodic work would outlive the server that ends it."""
    store = SqliteStore(path)
    waiting = asyncio.ensure_future(store._ask(lambda _: None))
    await asyncio.sleep(0)
    store._committer.run_at_once(lambda _: None)  # so the first is answered, and nobody has heard it
    asyncio.get_running_loop().call_soon(waiting.cancel)
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await store.close()
