"""The store: acknowledged entries are in it, failed ones are not, and no other process can open its file."""

import asyncio
import re
import sqlite3
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clerestory.declared import BadSettings
from clerestory.server.games.bounds import MOST_REVIEWS, MOST_TARGETS
from clerestory.server.games.log import Entry, EntryKind, Head
from clerestory.server.games.manager import summary_of
from clerestory.server.games.store import DAY, Batch, Conflict, GameFilter, Key, NoticeTarget, Store, Summary
from clerestory.server.games.stores import committer, sqlite_rows
from clerestory.server.games.stores.schema import APPLICATION, SCRIPTS
from clerestory.server.games.stores.sqlite import SqliteStore, user_file
from clerestory.server.games.stores.store_location import open_store, store_location
from tests.server.games.table import head, hosted
from tests.server.rpc.harness import until

RUNNING = Summary("running", False, None)


def entries(count: int, text: str = "fold") -> list[Entry]:
    return [Entry(EntryKind.PLAYED, 0, text, number) for number in range(count)]


def named(game_id: str, created: int = 1) -> Head:
    return replace(head(), game_id=game_id, created=created)


# -- games -----------------------------------------------------------------------------------------


async def test_a_stored_game_is_loaded(store: Any) -> None:
    game = hosted("cathedral", "ppb")
    await store.create(game.head, Batch(game.entries, summary_of(game)))
    await store.append("game", game.version, Batch(entries(2), RUNNING))
    assert await store.load("game") == (game.head, [*game.entries, *entries(2)])
    assert await store.load("other") is None


async def test_a_conflict_leaves_nothing(store: Any) -> None:
    """A number that is taken; a key that exists; a game that exists, or does not; a gap, which only others can make."""
    await store.create(named("a"), Batch(entries(2), RUNNING, [Key("x")]))
    gaps = [("a", 5, [])] if store.shared else []
    for game_id, number, keys in (("a", 1, []), ("a", 2, [Key("x")]), ("none", 0, []), *gaps):
        with pytest.raises(Conflict):
            await store.append(game_id, number, Batch(entries(2, "play 1"), Summary("over", True, 0), keys))
    with pytest.raises(Conflict):
        await store.append("none", 0, Batch([], RUNNING))
    with pytest.raises(Conflict):
        await store.create(named("a"), Batch([], RUNNING))
    assert await store.load("a") == (named("a"), entries(2))
    assert await store.select(GameFilter(9)) == []


async def test_a_store_that_is_opened_again_has_everything(durable: str) -> None:
    first = await open_store(durable)
    await first.create(named("a"), Batch(entries(3), RUNNING))
    await first.create(named("b"), Batch([], Summary("over", False, None)))
    await first.close()
    again = await open_store(durable)
    assert await again.load("a") == (named("a"), entries(3))
    assert await again.later("a", 2) == entries(3)[2:]
    assert again.secret == first.secret
    assert (await again.tally())[""].unfinished == 1
    await again.close()


async def test_games_are_listed_by_age_in_pages(store: Any) -> None:
    for number in range(5):
        summary = Summary("open" if number % 2 else "running", number != 3, 0 if number == 4 else None)
        await store.create(named(f"g{number}", created=number // 2), Batch([], summary, [Key(f"token {number}")]))

    async def ids(**wanted: Any) -> list[str]:
        return [game_id for game_id, _ in await store.select(GameFilter(9, **wanted))]

    shown = await ids()
    assert shown == ["g4", "g2", "g1", "g0"]
    [first, second] = await store.select(GameFilter(2))
    assert [first[0], second[0]] == shown[:2]
    assert await ids(before=(second[1], second[0])) == shown[2:]
    assert await ids(status="open") == ["g1"]
    assert await ids(tokens=("token 3", "token 0", "x")) == ["g3", "g0"]
    assert await ids(game="duel") == []


async def test_keys_lead_to_games_and_old_request_ids_are_forgotten(store: Any) -> None:
    requests = [Key(f"request {number}", 2, request=True) for number in range(5)]
    await store.create(named("a"), Batch([], RUNNING, [Key("owner"), Key("seat", 1), *requests]))
    found = await store.find(["seat", "request 0", "owner", "none"])
    assert found == {"seat": ("a", 1), "request 0": ("a", 2), "owner": ("a", None)}
    assert await store.forget_requests(store.now() - DAY, 9) == 0
    assert await store.forget_requests(store.now() + DAY, 3) == 3
    assert await store.forget_requests(store.now() + DAY, 3) == 2
    assert await store.find([*(key.digest for key in requests), "owner"]) == {"owner": ("a", None)}


# -- reviews ---------------------------------------------------------------------------------------


async def test_reviews_are_stored_once(store: Any) -> None:
    await store.create(named("a"), Batch([], RUNNING))
    await store.keep_review("a", "plan", {1: b"one", 2: b"two"})
    await store.keep_review("a", "plan", {2: b"other", 3: b"\0three"})
    assert await store.reviewed("a", "plan") == {1: b"one", 2: b"two", 3: b"\0three"}
    assert await store.reviewed("a", "other") == {}


async def test_the_oldest_of_many_reviews_of_a_game_are_deleted(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = [time.time()]
    monkeypatch.setattr(sqlite_rows, "time", SimpleNamespace(time=lambda: seconds[0]))
    for game_id in ("a", "b"):
        await store.create(named(game_id), Batch([], RUNNING))
        await store.keep_review(game_id, "0", {1: b"one", 2: b"two"})
    sizes = list[int]()
    for number in range(1, 3 * MOST_REVIEWS):
        seconds[0] += 1
        if store.shared:
            await asyncio.sleep(0.002)  # the clock of a database counts milliseconds
        for ply in (1, 2):
            await store.keep_review("a", f"{number}", {ply: b"one"})
        sizes.append((await store.tally())[""].bytes)
    left = [number for number in range(3 * MOST_REVIEWS) if await store.reviewed("a", f"{number}")]
    assert left == list(range(2 * MOST_REVIEWS, 3 * MOST_REVIEWS))
    assert await store.reviewed("a", f"{left[-1]}") == {1: b"one", 2: b"one"}
    assert await store.reviewed("b", "0") == {1: b"one", 2: b"two"}
    assert len(set(sizes[MOST_REVIEWS:])) == 1


# -- games that are due ----------------------------------------------------------------------------


def made_by(maker: str, number: int) -> Head:
    return replace(named(f"{maker}{number}"), maker=maker)


async def fill(store: Store, games: dict[str, int], *, bots_only: bool) -> None:
    """Create the given number of games for each maker, all due; those of the last maker are due first."""
    for age, (maker, count) in enumerate(games.items()):
        for number in range(count):
            due = Summary("running", False, 1000 * (len(games) - age) + number, bots_only)
            await store.create(made_by(maker, number), Batch([], due))


async def due(store: Store, *arguments: int, **more: Any) -> list[str]:
    return [one.game_id for one in await store.due(*arguments, **more)]


@pytest.mark.parametrize("bots_only", [False, True])
async def test_games_that_are_due_are_found_of_each_maker_in_turn(store: Any, bots_only: bool) -> None:
    await fill(store, {"a": 3, "b": 5, "": 1}, bots_only=bots_only)
    await fill(store, {"other": 2}, bots_only=not bots_only)
    everything = await due(store, 10_000, 99, bots_only=bots_only)
    assert sorted(everything) == ["0", "a0", "a1", "a2", "b0", "b1", "b2", "b3", "b4"]
    assert sorted(everything[:3]) == ["0", "a0", "b0"]
    assert sorted(everything[3:5]) == ["a1", "b1"]
    assert await due(store, 2001, 99, bots_only=bots_only, skip=["0"]) == ["b0"]
    assert await due(store, 1000, 99, bots_only=bots_only) == []
    assert len(await due(store, 10_000, 4, bots_only=bots_only)) == 4


@pytest.mark.parametrize("bots_only", [False, True])
async def test_one_maker_with_many_games_does_not_hide_those_of_another(store: Any, bots_only: bool) -> None:
    await fill(store, {"b": 1, "a": 30}, bots_only=bots_only)
    assert await due(store, 10_000, 2, bots_only=bots_only) == ["a0", "b0"]
    [first] = await store.due(10_000, 1, bots_only=bots_only, skip=[f"a{number}" for number in range(30)])
    assert (first.game_id, first.maker, first.moment) == ("b0", "b", 2000)


async def test_games_of_bots_only_come_round_to_every_maker(store: Any) -> None:
    """However few places there are, and however many games one maker has."""
    await fill(store, {"a": 50, "b": 1, "c": 1, "d": 1}, bots_only=True)
    found: list[str] = []
    for _ in range(6):
        found += await due(store, 10_000, 1, bots_only=True, skip=[one for one in found if one != "a0"])
    assert [one[0] for one in found] == ["a", "b", "c", "d", "a", "a"]


# -- what there is, and deleting it ----------------------------------------------------------------


async def test_the_games_of_each_maker_are_counted(store: Any) -> None:
    assert await store.tally() == {}
    await store.create(made_by("a", 0), Batch(entries(2), RUNNING))
    before = (await store.tally())["a"]
    assert (before.unfinished, before.games) == (1, 1)
    assert before.bytes > len(made_by("a", 0).to_json())
    await store.append("a0", 2, Batch(entries(1, "x" * 1000), Summary("over", False, None)))
    await store.create(made_by("b", 0), Batch([], RUNNING))
    after = await store.tally()
    assert (after["a"].unfinished, after["a"].games, after["b"].unfinished) == (0, 1, 1)
    assert 1000 < after["a"].bytes - before.bytes < 1100
    for _ in range(2):
        await store.keep_review("a0", "plan", {1: b"x" * 500})
    assert 500 < (await store.tally())["a"].bytes - after["a"].bytes < 600


async def test_games_that_nobody_asks_for_are_deleted_whole(store: Any) -> None:
    for number in range(3):
        await store.create(named(f"g{number}", created=number), Batch(entries(2), RUNNING, [Key(f"t{number}", 0)]))
        await store.keep_review(f"g{number}", "plan", {1: b"one"})
    await store.touch(["g0"], 10)
    assert await store.delete_untouched(2, 9) == ["g1"]
    assert await store.delete_untouched(11, 1) in (["g0"], ["g2"])
    assert len(await store.delete_untouched(11, 9)) == 1
    assert await store.tally() == {}
    assert await store.find(["t0", "t1", "t2"]) == {}
    assert await store.load("g1") is None
    with pytest.raises(Conflict):
        await store.append("g1", 2, Batch(entries(1), RUNNING))


async def test_large_games_are_deleted_a_few_at_a_time(store: Any) -> None:
    for number in range(5):
        await store.create(named(f"g{number}", created=number), Batch(entries(2, "x" * 500_000), RUNNING))
    assert [await store.delete_untouched(99, 9) for _ in range(4)] == [["g0", "g1"], ["g2", "g3"], ["g4"], []]


# -- targets of notices ----------------------------------------------------------------------------


def target(seat: int = 1, url: str = "https://a.example/", told: int = 0, holder: str = "holder") -> NoticeTarget:
    return NoticeTarget(seat, holder, url, b"\0keys", told)


def act(kind: EntryKind, seat: int | None) -> Entry:
    return Entry(kind, seat, "text", 0)


async def test_targets_belong_to_the_holder_of_a_seat(store: Any) -> None:
    await store.create(named("a"), Batch([act(EntryKind.PLAYED, 0)], RUNNING))
    for one in (target(), target(0), target(url="https://b.example/"), target(told=0)):
        assert await store.keep_target("a", one)
    assert len(await store.targets("a", 1, "holder")) == 2
    assert await store.targets("a", 1, "other") == []
    await store.drop_target("a", 1, "https://b.example/")
    await store.drop_target("a", 1, "https://b.example/")
    assert await store.targets("a", 1, "holder") == [target()]
    assert await store.keep_target("a", target(holder="next"))
    assert await store.targets("a", 1, "holder") == []
    assert await store.targets("a", 1, "next") == [target(holder="next")]


async def test_a_seat_has_a_limited_number_of_targets(store: Any) -> None:
    await store.create(named("a"), Batch([act(EntryKind.PLAYED, 0)], RUNNING))
    kept = [await store.keep_target("a", target(url=f"https://{number}/")) for number in range(MOST_TARGETS + 1)]
    assert kept == [True] * MOST_TARGETS + [False]
    assert await store.keep_target("a", target(url="https://0/"))  # again
    assert await store.keep_target("a", target(0))
    assert await store.keep_target("a", target(holder="next"))  # instead of all those of the former holder
    assert len(await store.targets("a", 1, "next")) == 1


@pytest.mark.parametrize(
    ("entry", "due"),
    [
        (act(EntryKind.PLAYED, 0), True),
        (act(EntryKind.PLAYED_ON, 0), True),
        (act(EntryKind.SEATED, 0), True),
        (act(EntryKind.PLAYED, None), True),  # a chance outcome that was entered
        (act(EntryKind.TAKEN_BACK, 0), True),
        (act(EntryKind.PLAYED, 1), False),  # its own
        (act(EntryKind.DRAWN, None), False),  # after some other action
        (act(EntryKind.AGREED, 0), False),
    ],
)
async def test_a_target_is_notified_once_after_others_have_acted(entry: Entry, due: bool, store: Any) -> None:
    await store.create(named("a"), Batch([act(EntryKind.PLAYED, 0)], RUNNING))
    assert await store.keep_target("a", target(told=1))
    assert await store.claim_targets("a", 1, "holder", 1) == await store.untold() == []
    await store.append("a", 1, Batch([entry], RUNNING))
    assert await store.untold() == (["a"] if due else [])
    assert await store.claim_targets("a", 1, "holder", 1) == []  # the turn began before
    for _ in range(2):  # the second time for another attempt
        assert len(await store.claim_targets("a", 1, "holder", 2)) == due
    await store.tell_target("a", 1, "https://a.example/", 2)
    await store.tell_target("a", 1, "https://a.example/", 1)  # a late answer to an earlier notice
    assert await store.claim_targets("a", 1, "holder", 2) == await store.untold() == []
    assert len(await store.targets("a", 1, "holder")) == 1


async def test_a_target_that_is_added_again_still_waits_for_its_notice(store: Any) -> None:
    await store.create(named("a"), Batch([act(EntryKind.PLAYED, 0)], RUNNING))
    assert await store.keep_target("a", target(told=0))
    assert await store.keep_target("a", replace(target(told=1), keys=b"new"))
    assert await store.targets("a", 1, "holder") == [replace(target(told=0), keys=b"new")]


async def test_a_game_that_is_not_running_has_nothing_to_announce(store: Any) -> None:
    await store.create(named("a"), Batch([act(EntryKind.PLAYED, 0)], Summary("over", False, None)))
    assert await store.keep_target("a", target())
    assert await store.untold() == []


async def test_targets_go_with_their_game(durable: str) -> None:
    store = await open_store(durable)
    for game_id in ("a", "b"):
        await store.create(named(game_id), Batch([act(EntryKind.PLAYED, 0)], RUNNING))
        assert await store.keep_target(game_id, target())
    await store.touch(["b"], 10)
    assert await store.delete_untouched(5, 9) == ["a"]
    await store.close()
    again = await open_store(durable)
    assert await again.untold() == ["b"]
    assert await again.targets("a", 1, "holder") == []
    assert await again.targets("b", 1, "holder") == [target()]
    await again.close()


# -- transactions of SQLite ------------------------------------------------------------------------


async def test_a_conflict_undoes_nothing_of_those_it_is_stored_with(sqlite: SqliteStore) -> None:
    await sqlite.create(named("a"), Batch([], RUNNING))
    asked = [sqlite.append("a", number, Batch(entries(1), RUNNING)) for number in (0, 0, 1, 5, 5)]
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(one) for one in found] == [type(None), Conflict, type(None), type(None), Conflict]


async def test_writes_of_a_transaction_wait_for_the_next(sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    committed, settle, go_on = list[int](), committer.settle, threading.Event()

    def held(connection: sqlite3.Connection, jobs: Sequence[committer.QueuedWork]) -> bool:
        if threading.current_thread() is sqlite._committer._thread:  # not that of another server in this process
            committed.append(len(jobs))
            go_on.wait()
        return settle(connection, jobs)

    await sqlite.create(named("a"), Batch([], RUNNING))
    monkeypatch.setattr(committer, "settle", held)
    asked = [asyncio.ensure_future(sqlite.append("a", 0, Batch(entries(1), RUNNING)))]
    await until(lambda: committed == [1])
    asked += [asyncio.ensure_future(sqlite.append("a", number, Batch(entries(1), RUNNING))) for number in range(1, 100)]
    await asyncio.sleep(0)  # each has asked
    go_on.set()
    await asyncio.gather(*asked)
    assert committed == [1, 99]


# -- the file --------------------------------------------------------------------------------------


def test_a_second_server_is_rejected_in_one_line(tmp_path: Path) -> None:
    path = str(tmp_path / "games.sqlite")
    store = SqliteStore(path)
    with pytest.raises(BadSettings) as caught:
        SqliteStore(path)
    expected = f"store: {path} is in use by another server; give this one a file of its own, or memory:"
    assert str(caught.value) == expected
    asyncio.run(store.close())


def make(path: Path, *statements: str) -> None:
    with sqlite3.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        ((), "is not a store of games"),  # no database at all
        (("CREATE TABLE recipe (name)",), "is not a store of games"),
        (("PRAGMA application_id=1129075283", "PRAGMA user_version=99"), "later version of Clerestory .format 99;"),
    ],
)
def test_a_file_that_is_not_ours_is_left_alone(tmp_path: Path, statements: tuple[str, ...], message: str) -> None:
    path = tmp_path / "games.sqlite"
    if statements:
        make(path, *statements)
    else:
        path.write_text("not a database, and longer than its header would be " * 20)
    before = path.read_bytes()
    with pytest.raises(BadSettings, match=message):
        SqliteStore(str(path))
    assert path.read_bytes() == before


NO_FILES = [
    ("", "is empty, and games would be lost; give --store a FILE, memory: or"),
    (" ", "is empty"),
    ("memory", "give --store memory:, or ./memory for"),
    ("user", "give --store user:, or ./user for"),
    ("postgres", "give --store postgresql://..., or ./postgres for"),
    ("user:x", "user:... names no store; give --store a FILE, user:"),
    ("http://ann:secret@example.org/x", "http:... names no store"),
    ("sqlite:games", "or ./sqlite:... for a file of such a name"),
    (
        "host=db.example password=secret dbname=games",
        "is a list of KEYWORD=VALUE; a database is postgresql://USER@HOST",
    ),
    (".", "is a folder; name a file in it, such as games.sqlite"),
]


@pytest.mark.parametrize(("name", "says"), NO_FILES)
async def test_names_of_no_file_are_rejected(
    name: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for ask in (open_store, store_location):
        with pytest.raises(BadSettings, match=f"^store: .*{re.escape(says)}") as caught:
            await ask(name)
        assert "secret" not in str(caught.value)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("name", ["./memory", "./user:x", "2026:1.sqlite"])
async def test_a_file_may_have_any_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    await (await open_store(name)).close()
    assert Path(name).is_file()


NAMES = ("journal_mode", "locking_mode", "synchronous", "foreign_keys", "user_version")


@pytest.mark.parametrize("version", range(len(SCRIPTS)))
async def test_every_earlier_version_becomes_this_one(tmp_path: Path, version: int) -> None:
    """Files of each earlier version; version 0 is an empty one."""
    path = tmp_path / "games.sqlite"
    scripts = [text for script in SCRIPTS[:version] for text in script.split(";")]
    own = ["INSERT INTO store VALUES (zeroblob(32))", f"PRAGMA application_id={APPLICATION}"] if version else []
    make(path, *scripts, *own, f"PRAGMA user_version={version}")
    store = SqliteStore(str(path))
    await store.create(named("a"), Batch(entries(1), RUNNING))
    assert await store.load("a") == (named("a"), entries(1))
    pragmas = [await store._ask(lambda to, name=name: to.execute(f"PRAGMA {name}").fetchone()[0]) for name in NAMES]
    assert pragmas == ["wal", "exclusive", 2, 1, len(SCRIPTS)]
    await store.close()


WRITES = re.compile(r"sqlite3\.connect\((?!.*mode=ro&immutable=1)")


def test_one_connection_is_all_there_is() -> None:
    """Two connections that write to a WAL can damage it in SQLite up to 3.51.2."""
    folder = Path(committer.__file__).parent
    made = {path.name: len(WRITES.findall(path.read_text())) for path in folder.parent.rglob("*.py")}
    assert {name: count for name, count in made.items() if count} == {"schema.py": 1, "maintenance.py": 1}
    assert "sqlite3.connect(part" in (folder / "maintenance.py").read_text()  # a private copy
    assert (folder / "committer.py").read_text().count("open_file(") == 1


def test_the_file_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert user_file() == tmp_path / "clerestory" / "games.sqlite"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/ann")
    assert user_file() == Path("/home/ann/.local/share/clerestory/games.sqlite")
