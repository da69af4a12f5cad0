"""A store that an earlier version wrote is migrated once, and its games continue unchanged."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.json_format import MessageToDict

from clerestory.engine import read_records
from clerestory.engine.errors import GameError
from clerestory.engine.games import from_position
from clerestory.server.games.log import Onlookers
from clerestory.server.games.store import GameFilter
from clerestory.server.games.stores.maintenance import migrate_store, survey
from clerestory.server.games.stores.schema import SCRIPTS, open_file
from clerestory.server.games.stores.store_location import open_store
from clerestory.v1 import annotation_pb2 as annotations
from clerestory.v1 import games_pb2 as games
from clerestory.v1.annotation_pb2_grpc import AnnotationServiceStub
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.server.games.earlier import DATA, FIRST, REVISIONS, VERSION, differences, restore, told, unpack_file
from tests.server.games.table import first_action
from tests.server.games.test_store import due
from tests.server.rpc.harness import served
from tests.shipped import CATHEDRAL, DUEL

GOING_ON = ("duel of bots", "duel with a clock", "cathedral with a bot")  # the server moves in them, sooner or later
SORTS = ("file", pytest.param("database", marks=pytest.mark.system))
VALUED_BY = {  # the values in use then: new values or settings cause new reviews
    "cathedral": ("net", "weights 9c0bc1e7, learned with these cards"),
    "duel": ("net", "weights 25e92e67, learned with these cards"),
    "toy": ("hand", "no learned value is shipped"),
}
REVIEWED_BY = {"exploration": 0.12, "growth": 0.0, "priors": "guide", "sharpness": 1.0}  # with a learned value
COUNTS = {"7d70b6d": (15, 10), "0adc857": (17, 12)}  # games, and how many are not over
GRADES = {"accuracy", "decisions", "idleDecisions", "meanLoss", "mistakes", "blunders", "inaccuracies", "level"}


@pytest.fixture(params=REVISIONS)
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def earlier(sort: str, revision: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if sort == "file":
        return unpack_file(tmp_path / "games.sqlite", revision)
    return restore(request.getfixturevalue("database"), revision)


async def look(stub: Any, game_id: str, tokens: list[str]) -> games.GetGameResponse:
    request = games.GetGameRequest(game_id=game_id, tokens=tokens, entries_from_ply=1)
    seen: games.GetGameResponse = await stub.GetGame(request)
    return seen


async def assert_as_it_was(channel: grpc.aio.Channel, name: str, was: dict[str, Any]) -> None:
    """Compare what all viewers see of a game with what they saw, and its record."""
    stub: Any = GameServiceStub(channel)
    for tokens, expected in was["views"]:
        there = MessageToDict(await look(stub, was["game_id"], tokens))
        if name in GOING_ON:
            entries = expected.get("entries", [])
            assert not list(differences(there.get("entries", [])[: len(entries)], entries, name))
        else:
            assert not list(differences(there, expected, name))
    tokens = [token for viewer, _ in was["views"][:-1] for token in viewer]
    record = (await stub.GetRecord(games.GetRecordRequest(game_id=was["game_id"], tokens=tokens))).record
    lines, then = ([json.loads(line) for line in text.splitlines()] for text in (record, was["record"]))
    assert not list(differences(lines[: len(then)] if name in GOING_ON else lines, then, name))


async def reviewed(channel: grpc.aio.Channel, was: dict[str, Any]) -> dict[str, Any]:
    """Return the review of a game; all of it is in the store."""
    reference = annotations.HostedGameReference(game_id=was["game_id"], tokens=was["views"][0][0])
    stub: Any = AnnotationServiceStub(channel)
    call = stub.AnnotateGame(annotations.AnnotateGameRequest(hosted_game=reference, iterations=60))
    return MessageToDict([message async for message in call][-1].review)


def ungraded(review: dict[str, Any]) -> dict[str, Any]:
    """Return a review without what is not stored: grades, as conversions are one decision now, and seats favoured."""
    seats = [{key: value for key, value in seat.items() if key not in GRADES} for seat in review["seats"]]
    return {**review, "seats": seats, "errors": [], "favour": {}}


@pytest.mark.parametrize("sort", SORTS)
async def test_every_game_is_as_it_was(sort: str, revision: str, earlier: str) -> None:
    """A repeated request has its answer again: the secret of its tokens has moved with the games."""
    was = told(sort, revision)
    async with served(store=earlier) as server:
        for name, game in was.items():
            await assert_as_it_was(server.channel, name, game)
        made = was["duel taken back"]
        seats = [games.SeatPlan(kind=games.SEAT_KIND_PERSON, name="Ann")] * 2
        request = games.CreateGameRequest(game="duel", seats=seats, request_id=made["request_id"], seed=105)
        again = await GameServiceStub(server.channel).CreateGame(request)
        assert (again.game.game_id, again.owner_token) == (made["game_id"], made["owner"])


@pytest.mark.parametrize("sort", SORTS)
async def test_reviews_are_still_there(sort: str, revision: str, earlier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("clerestory.server.analysis.reviewer.Reviewer.search")
    for user in ("server.games.reviews", "search.options"):
        monkeypatch.setattr(f"clerestory.{user}.value_in_use", lambda game, _=None: VALUED_BY[game.name])
    for game in (CATHEDRAL, DUEL):
        for seats in game.seats:
            monkeypatch.setitem(game.tuning.review_learned, seats, REVIEWED_BY)
            monkeypatch.delitem(game.tuning.learned[seats], "settled", raising=False)  # later than they
    over = {name: was for name, was in told(sort, revision).items() if was["review"]}
    assert {name.partition(" ")[0] for name in over} == {"toy", "duel", "cathedral"}
    async with served(store=earlier) as server:
        for name, was in over.items():
            there = await reviewed(server.channel, was)
            assert not list(differences(ungraded(there), ungraded(was["review"]), name))


@pytest.mark.parametrize("sort", SORTS)
async def test_games_are_played_on(sort: str, revision: str, earlier: str) -> None:
    was = told(sort, revision)["cathedral joined"]
    tokens = [token for viewer, _ in was["views"][:-1] for token in viewer]
    async with served(store=earlier) as server:
        stub: Any = GameServiceStub(server.channel)
        for _ in range(3):
            seen = await look(stub, was["game_id"], tokens)
            if not any(view.actions for view in seen.views):
                break  # the bot's turn
            move = {"version": seen.game.version, "action": first_action(seen)}
            played = await stub.PlayAction(games.PlayActionRequest(game_id=was["game_id"], tokens=tokens, **move))
            assert played.game.version > seen.game.version
        open_game = told(sort, revision)["toy open"]["game_id"]
        joined = await stub.JoinGame(games.JoinGameRequest(game_id=open_game))
        assert joined.game.status == games.GAME_STATUS_RUNNING


@pytest.mark.parametrize("sort", SORTS)
async def test_the_columns_are_filled_in_once(sort: str, revision: str, earlier: str) -> None:
    was = told(sort, revision)
    first = await open_store(earlier)
    [(maker, tally)] = (await first.tally()).items()
    assert len(maker) == 64
    assert (tally.games, tally.unfinished) == COUNTS[revision]
    assert await due(first, 1 << 62, 99, bots_only=True) == [was["duel of bots"]["game_id"]]
    assert {*await due(first, 1 << 62, 99, bots_only=False)} == {was[name]["game_id"] for name in GOING_ON[1:]}
    [oldest] = await first.delete_untouched(1 << 62, 1)
    after = await first.tally()
    await first.close()
    again = await open_store(earlier)
    assert await again.tally() == after
    assert await again.load(oldest) is None
    assert await again.delete_untouched(1_795_000_000_000, 99) == []  # none counts as untouched since ever
    await again.close()


@pytest.mark.parametrize("sort", SORTS)
async def test_finished_games_stay_listed_only_if_everyone_may_watch(sort: str, earlier: str) -> None:
    show_all(earlier)
    store = await open_store(earlier)
    over = [await store.load(game_id) for game_id, _ in await store.select(GameFilter(99, status="over"))]
    assert {game[0].options.onlookers for game in over if game} == {Onlookers.ALL}
    tally = (await store.tally()).popitem()[1]
    assert len(await store.select(GameFilter(99))) == tally.unfinished + len(over)
    await store.close()


def show_all(earlier: str) -> None:
    """Let the columns of a store say that all games are shown to everybody."""
    connect: Any = sqlite3.connect
    if earlier.startswith("postgresql:"):
        from psycopg import connect
    with closing(connect(earlier)) as store:
        store.execute("UPDATE game SET shown = TRUE")
        store.commit()


def test_records_and_positions_are_read(revision: str) -> None:
    for name in ("toy", "duel", "cathedral"):
        [record, *_] = read_records((DATA / revision / f"{name}.jsonl").read_text().splitlines())
        assert record.state.over
        assert from_position((DATA / revision / f"{name}.position.json").read_text()).game.name == name


def test_a_position_of_other_cards_says_what_it_needs() -> None:
    position = json.loads((DATA / FIRST / "duel.position.json").read_text()) | {"catalogue": "other cards"}
    needs = "catalogue: is 'other cards'; the cards in use are those of '[0-9a-f]{16}'"
    with pytest.raises(GameError, match=needs):
        from_position(json.dumps(position))


class Stopped(Exception):
    """A migration was stopped in the middle."""


def stopping(execute: Callable[..., Any], number: int) -> Callable[..., Any]:
    """Return a function that executes statements, and stops at the one with a number."""
    numbers = count(1)

    def counted(*given: Any, **more: Any) -> Any:
        if next(numbers) == number:
            raise Stopped
        return execute(*given, **more)

    return counted


def contents(path: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        columns = [connection.execute(f"PRAGMA table_info({name})").fetchall() for name in tables]
        listed = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name"
        indices = connection.execute(listed).fetchall()
        return [tables, columns, indices, *(connection.execute(f"SELECT * FROM {name}").fetchall() for name in tables)]


def test_a_file_is_migrated_and_taken_back_wholly_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever statement it stops at."""
    path = unpack_file(tmp_path / "games.sqlite")
    was = contents(path)
    for version in (len(SCRIPTS), VERSION["file"]):
        before = contents(path)
        for number in count(1):
            doomed = type("Doomed", (sqlite3.Connection,), {"execute": stopping(sqlite3.Connection.execute, number)})
            with monkeypatch.context() as patch, suppress(Stopped):
                patch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=doomed))
                open_file(path, version).close()
                break
            assert contents(path) == before
        assert number > 12
        assert asyncio.run(survey(path)).version == version
    assert contents(path) == was


@pytest.mark.system
async def test_a_database_is_migrated_and_taken_back_wholly_or_not_at_all(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from psycopg import AsyncConnection

    restore(database)
    for version in (None, VERSION["database"]):
        before = await survey(database)
        for number in count(1):
            with monkeypatch.context() as patch, suppress(Stopped):
                patch.setattr(AsyncConnection, "execute", stopping(AsyncConnection.execute, number))
                await migrate_store(database, version)
                break
            assert await survey(database) == before
        assert number > 6
        after = await survey(database)
        assert (after.games, after.entries) == (before.games, before.entries)
        assert after.version == version or (version is None and after.version > before.version)
    store = await open_store(database)
    assert None not in [await store.load(was["game_id"]) for was in told("database").values()]
    await store.close()


@pytest.mark.system
@pytest.mark.parametrize("sort", ["file", "database"])
def test_one_of_several_processes_migrates_a_store(sort: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """What a script adds cannot be added twice: the second would fail."""
    is_file = sort == "file"
    path = unpack_file(tmp_path / "games.sqlite") if is_file else restore(request.getfixturevalue("database"))
    command = [sys.executable, "-m", "clerestory", "store", "migrate", "--store", path]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = [process.communicate() for process in started]
    codes = [process.returncode for process in started]
    assert 0 in codes
    for code, (out, err) in zip(codes, outputs, strict=True):
        assert "15 games, 787 entries\n" in out if code == 0 else is_file and "in use by" in err
    if is_file:
        assert asyncio.run(survey(path)).version == len(SCRIPTS)
