"""Store errors reach only the games that cause them, and no caller waits for a store that has stopped."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clerestory.declared import BadSettings
from clerestory.server.games.store import (
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
from clerestory.server.games.stores import committer
from clerestory.server.games.stores.schema import open_file
from clerestory.server.games.stores.sqlite import SqliteStore
from tests.faults.disks import fill
from tests.room import files_of_at_most
from tests.server.games.damage import change, overwrite, root_of, spoil
from tests.server.games.earlier import unpack_file
from tests.server.games.test_store import RUNNING, due, entries, made_by, named
from tests.server.rpc.harness import until


def pragma(text: str) -> Callable[[sqlite3.Connection], Any]:
    return lambda connection: connection.execute(f"PRAGMA {text}").fetchall()


async def test_an_error_stays_in_its_own_job(sqlite: SqliteStore) -> None:
    """Of a number that SQLite cannot have, and of a bug, also beside jobs that are committed together with it."""

    def bug(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM entry")
        raise KeyError("what was to be stored")

    await sqlite.create(named("a"), Batch(entries(1), RUNNING))
    asked: list[Any] = [
        sqlite.append("a", 1, Batch(entries(1), RUNNING)),
        sqlite.select(GameFilter(9, before=(1 << 70, "x"))),
        sqlite._ask(bug, "a"),
        sqlite.append("a", 1 << 64, Batch(entries(1), RUNNING)),
        sqlite.append("a", 2, Batch(entries(1), RUNNING)),
    ]
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(one) for one in found] == [type(None), StoreError, StoreError, StoreError, type(None)]
    assert str(found[2]) == "the store failed for game 'a': KeyError"
    assert await sqlite.later("a", 0) == [*entries(1), *entries(1), *entries(1)]
    assert sqlite.alive


UNREADABLE = [  # the statement that damages game a, and what is said of it
    ("UPDATE game SET head = replace(head, 'person', 'secret')", "seats.0.kind"),
    ("UPDATE game SET head = '{'", "Invalid JSON"),
    ("UPDATE entry SET kind = 'new' WHERE number = 1", "entry 1 .* 'new'"),
    ("UPDATE game SET head = replace(head, '1.0', '1.0,\"level\":99')", "options.play_on.level"),
    ("UPDATE game SET head = replace(head, 'created\":', 'created\":999999999999999')", "created"),
    ("DELETE FROM entry WHERE number = 0", "entry 0 is missing"),
    ("UPDATE entry SET moment = 9007199254740993", "the time"),
]


async def test_an_unreadable_game_says_why_and_quotes_nothing(store: Any) -> None:
    for number, (statement, text) in enumerate(UNREADABLE):
        await store.create(named(f"{number}"), Batch(entries(2), RUNNING))
        await change(store, statement)
        with pytest.raises(Unreadable, match=text) as caught:
            await store.load(f"{number}")
        assert "secret" not in str(caught.value)
        await store.delete_untouched(1 << 62, 9)


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
async def test_when_its_thread_ends_nobody_waits_for_ever(sqlite: SqliteStore) -> None:
    def die(_: sqlite3.Connection) -> None:
        raise SystemExit

    asked: list[Any] = [sqlite._ask(die), *(sqlite.load("a") for _ in range(5))]
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(one) for one in found} == {StoreError}
    assert not sqlite.alive
    with pytest.raises(StoreError):
        await sqlite.load("a")


async def test_a_store_that_hangs_is_left(sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a disk that does not answer: calls end, it says that it does not live, and closing ends, too."""
    monkeypatch.setattr(committer, "ANSWER", 0.05)
    go_on = threading.Event()
    with pytest.raises(StoreError, match="no answer within"):
        await sqlite._ask(lambda _: go_on.wait())
    await until(lambda: not sqlite.alive)  # its thread began later than the caller waits
    waiting = asyncio.ensure_future(sqlite.load("a"))
    await asyncio.sleep(0)
    await sqlite.close(0.05)
    with pytest.raises(StoreError):
        await waiting
    go_on.set()


async def test_jobs_without_a_caller_do_not_pile_up(sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a disk that does not answer for hours they would fill the memory."""
    begun, go_on = threading.Event(), threading.Event()
    hanging = asyncio.ensure_future(sqlite._ask(lambda _: begun.set() or go_on.wait()))
    await until(begun.is_set)
    monkeypatch.setattr(committer, "MOST_WAITING", 3)
    with monkeypatch.context() as hurried:
        hurried.setattr(committer, "ANSWER", 0.01)
        for _ in range(9):
            with pytest.raises(StoreError):
                await sqlite.load("a")
    assert sqlite._committer._jobs.qsize() == 3
    go_on.set()
    await hanging
    await until(lambda: not sqlite._committer._jobs.qsize())
    assert await sqlite.load("a") is None


async def test_a_caller_who_is_cancelled_as_the_store_answers_is_cancelled(sqlite: SqliteStore) -> None:
    """Or periodic work would outlive the server that ends it."""
    waiting = asyncio.ensure_future(sqlite._ask(lambda _: None))
    await asyncio.sleep(0)
    sqlite._committer.run_at_once(lambda _: None)  # so the first has its answer, but has not received it
    asyncio.get_running_loop().call_soon(waiting.cancel)
    with pytest.raises(asyncio.CancelledError):
        await waiting


@pytest.mark.parametrize("what", ["header", "store", "game", "entry", "middle"])
def test_a_damaged_file_is_rejected_in_one_line_with_what_to_do(what: str, tmp_path: Path) -> None:
    path = Path(unpack_file(tmp_path / "games.sqlite"))
    open_file(str(path)).close()
    _, size = root_of(path, "entry")
    pages = {"header": (1, 100), "middle": (path.stat().st_size // size // 2, size, 3)}
    overwrite(path, *(pages.get(what) or root_of(path, what)))
    says = "is not a store of games" if what == "header" else r"is damaged: [^;\n]+; restore a backup \S+"
    with pytest.raises(BadSettings, match=rf"^store: {path} {says}$"):
        SqliteStore(str(path))


@pytest.mark.system
def test_a_file_that_cannot_be_migrated_for_lack_of_space_is_rejected(small_disk: Path) -> None:
    path = unpack_file(small_disk / "games.sqlite")
    fill(small_disk)
    with pytest.raises(BadSettings, match="there is no space on its disk"):
        SqliteStore(path)


@pytest.mark.parametrize("table", ["game", "key"])
async def test_later_damage_is_reported_for_good(tmp_path: Path, table: str, caplog: pytest.LogCaptureFixture) -> None:
    """Also while other pages can be read."""
    file = tmp_path / "games.sqlite"
    store = SqliteStore(str(file))
    await store.create(named("a"), Batch(entries(1), RUNNING))
    await store.close()
    damaged = root_of(file, table)
    store = SqliteStore(str(file))
    overwrite(file, *damaged)
    await store._ask(pragma("shrink_memory"))
    assert store.alive
    for _ in range(2):
        with pytest.raises(StoreDamaged, match="malformed"):
            await store.create(named("b"), Batch(entries(1), RUNNING, [Key("x")]))
    assert await store.later("a", 0) == entries(1)
    await store.due(0, 1, bots_only=False)
    assert not store.alive
    assert sum("restore a backup" in line for line in caplog.messages) == 1
    await store.close()


@pytest.mark.parametrize("bots_only", [False, True])
async def test_a_maker_that_is_no_text_is_an_odd_maker(store: Any, bots_only: bool) -> None:
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


@pytest.mark.parametrize("bots_only", [False, True])
async def test_a_game_whose_id_is_no_text_belongs_to_nobody(store: Any, bots_only: bool) -> None:
    """It is the first, and hides none of the others of its maker."""
    for number in range(3):
        await store.create(made_by("a", number), Batch([], Summary("running", True, number, bots_only)))
    await spoil(store, "game", "id", "id = 'a1'")
    await store.append("a0", 0, Batch([], Summary("over", True, None, bots_only)))
    for most in (1, 9):
        assert await due(store, 9, most, bots_only=bots_only) == ["a2"]
    assert {"a0", "a2"} < {game_id for game_id, _ in await store.select(GameFilter(9))}
    assert (await store.tally())["a"].games == 3
    assert sorted(await store.delete_untouched(1 << 62, 9)) == ["a0", "a2"]
    assert await store.delete_untouched(1 << 62, 9) == []


@pytest.mark.parametrize(("table", "column"), [("game", "head"), ("entry", "text"), ("entry", "kind")])
async def test_a_game_that_is_no_text_is_unreadable(store: Any, table: str, column: str) -> None:
    await store.create(named("a"), Batch(entries(2, "secret"), RUNNING))
    await spoil(store, table, column, "TRUE")
    with pytest.raises(Unreadable) as caught:
        await store.load("a")
    assert str(caught.value) == "its text is not UTF-8"
    assert store.alive


async def test_an_error_quotes_no_row(sqlite: SqliteStore) -> None:
    """Here that of a job which reads more than one game."""
    await sqlite.create(named("a"), Batch(entries(1, "secret"), RUNNING))
    await spoil(sqlite, "entry", "text", "TRUE")
    with pytest.raises(StoreError) as caught:
        await sqlite._ask(lambda connection: connection.execute("SELECT text FROM entry").fetchall())
    assert str(caught.value) == "the store failed: OperationalError"


async def test_a_disk_that_is_full_for_one_is_not_for_those_stored_with_it(sqlite: SqliteStore) -> None:
    await sqlite.create(named("a"), Batch(entries(1), RUNNING))
    await sqlite._ask(pragma("max_page_count=1"))
    large: list[Any] = [sqlite.append("a", 1, Batch(entries(1, "x" * 100_000), RUNNING)), sqlite.load("a")]
    full, read = await asyncio.gather(*large, return_exceptions=True)
    assert isinstance(full, StoreFull)
    assert read == (named("a"), entries(1))
    assert sqlite.alive
    await sqlite._ask(pragma("max_page_count=100000"))
    await sqlite.append("a", 1, Batch(entries(1), RUNNING))


async def test_a_file_that_may_not_grow_is_full(tmp_path: Path) -> None:
    """SQLite says of it what it says of a disk that fails."""
    with files_of_at_most(300_000):
        store = SqliteStore(str(tmp_path / "games.sqlite"))
        await store.create(named("a"), Batch(entries(1), RUNNING))
        with pytest.raises(StoreFull):
            for number in range(1000):
                await store.append("a", 1 + number, Batch(entries(1, "x" * 1000), RUNNING))
        assert await store.load("a")
        assert store.alive
        await store.close()


def test_a_write_that_a_disk_rejects_is_no_lack_of_room(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "games.sqlite")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE t (x)")
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
    assert not committer.lacks_room(connection, error)
    connection.close()
