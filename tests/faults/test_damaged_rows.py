"""Rows that cannot be read stop their own game, which is shown as frozen or is not there, and no other."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest

from clerestory.door.methods import methods
from clerestory.v1 import annotation_pb2, games_pb2
from tests.faults import wires
from tests.faults.judge import dead_services, errors, is_faulty, leaks, traces
from tests.faults.mutations import ODD
from tests.faults.watched import watched_server
from tests.faults.wires import Ending
from tests.faults.world import GOOD, KINDS, PERSON, Kept, World, about, connect
from tests.server.test_fuzz import slots

NUMBERS = (0, -1, 7, 99, 2**31, 2**53 + 1, 2**63 - 1, -(2**63))
TEXTS = ("", "\0", "a\0b", "null", "{}", "[]", "7", "-1", "9" * 5_000, "x" * 100_000, "fold", "pass", "\u202e")
NO_TEXT = b"\xff\xfe\xc3"  # is not UTF-8, which SQLite does not check
COLUMNS = {
    "game": ("name", "created", "status", "shown", "due", "maker", "bots_only", "touched"),
    "entry": ("kind", "seat", "text", "moment", "number"),
    "key": ("seat", "request", "moment"),
    "review": ("ply", "message"),
}  # but not `bytes`, which count for the maker of a game
OF_GAME = {"game": "id", "entry": "game", "key": "game", "review": "game"}  # the column that names the game
Damage = Callable[[sqlite3.Connection, str, Random], None]


def head_of(connection: sqlite3.Connection, game_id: str) -> Any:
    (text,) = connection.execute("SELECT head FROM game WHERE id = ?", (game_id,)).fetchone()
    return json.loads(text)


def damage_head(connection: sqlite3.Connection, game_id: str, luck: Random) -> None:
    """Change what never changes: a field is missing or strange, the text is torn or none."""
    head = head_of(connection, game_id)
    container, key = luck.choice(slots(head))
    match luck.randrange(3):
        case 0:
            text = json.dumps(head)
            text = luck.choice([text[: luck.randrange(len(text))], text + "}", *TEXTS])
        case 1 if isinstance(container, dict):
            del container[key]
            text = json.dumps(head)
        case _:
            container[key] = deepcopy(luck.choice(ODD))
            text = json.dumps(head)
    connection.execute("UPDATE game SET head = ? WHERE id = ?", (text, game_id))


def damage_opening(connection: sqlite3.Connection, game_id: str, luck: Random) -> None:
    head = head_of(connection, game_id)
    opening = json.loads(head["opening"])
    container, key = luck.choice(slots(opening))
    container[key] = deepcopy(luck.choice(ODD))
    head["opening"] = json.dumps(opening)
    connection.execute("UPDATE game SET head = ? WHERE id = ?", (json.dumps(head), game_id))


def damage_column(connection: sqlite3.Connection, game_id: str, luck: Random) -> None:
    """Put a strange value into a column of some rows of a game."""
    table = luck.choice([*COLUMNS, "entry", "entry"])
    column = luck.choice(COLUMNS[table])
    rows = f"{OF_GAME[table]} = ?" + (" AND abs(random()) % 4 = 0" if luck.random() < 0.5 else "")
    connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {rows}", (odd(table, column, luck), game_id))


def odd(table: str, column: str, luck: Random) -> Any:
    """Return a strange value of the type that a column has."""
    if column == "message":
        return luck.randbytes(20)
    if column in ("name", "status", "maker", "kind", "text"):
        return luck.choice((*TEXTS, "drawn", "taken back", "agreed", "seated", "ended", "over", "frozen", "chess"))
    return luck.choice((*NUMBERS, None) if column in ("due", "seat") else NUMBERS)


def damage_log(connection: sqlite3.Connection, game_id: str, luck: Random) -> None:
    """Lose, double or exchange entries, or leave a gap in their numbers."""
    rows = connection.execute("SELECT * FROM entry WHERE game = ? ORDER BY number", (game_id,)).fetchall()
    entries = [row[2:] for row in rows]
    place = luck.randrange(len(entries)) if entries else 0
    changed = luck.choice(
        (
            entries[:place] + entries[place + 1 :],
            entries[: place + 1] + entries[place:],
            luck.sample(entries, len(rows)),
        )
    )
    connection.execute("DELETE FROM entry WHERE game = ?", (game_id,))
    gap = luck.choice((0, 0, 1, 2**40))
    numbered = [(game_id, number + gap * (number > 1), *entry) for number, entry in enumerate(changed)]
    connection.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)", numbered)


def damage_text(connection: sqlite3.Connection, game_id: str, luck: Random) -> None:
    """Put bytes that are no text where text should be."""
    columns = (("game", column) for column in ("head", "name", "maker", "id"))
    table, column = luck.choice((*columns, ("entry", "text"), ("entry", "kind")))
    text = f"UPDATE {table} SET {column} = CAST(? AS TEXT) || {column} WHERE {OF_GAME[table]} = ?"
    connection.execute(text, (NO_TEXT, game_id))


DAMAGES: Sequence[Damage] = (damage_head, damage_head, damage_opening, damage_column, damage_log, damage_text)


def damage(store: Path, games: Sequence[str], luck: Random) -> dict[str, str]:
    """Damage each of some games in its own way, and return what was done to each."""
    done = {}
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        for game_id in games:
            change = luck.choice(DAMAGES)
            change(connection, game_id, luck)
            done[game_id] = change.__name__
    return done


OPTIONS = ("--workers", "1", "--max-time", "0.05")
CASES = 4  # games of each kind, of which one stays as it is
ABOUT = [path for path in GOOD if path.startswith("GameService/") and path not in ("GameService/CreateGame",)]
FROZEN = r"game \S+ (is frozen|cannot be shown): "  # what the log may say of damaged games


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Kept]]:
    """A folder with a store of games in the middle, some of them ended and reviewed, and the games."""
    folder, luck = tmp_path_factory.mktemp("stored"), Random(1)
    with watched_server(folder, *OPTIONS) as server, grpc.insecure_channel(server.target) as channel:
        world = connect(channel, "")
        kept = [world.make(kind, luck) for kind in range(len(KINDS)) for _ in range(CASES)]
        ended = [one for one in kept[CASES - 1 :: CASES] if PERSON in KINDS[one.kind]["seats"]]
        for one in ended:
            with suppress(grpc.RpcError):  # it was over
                world.stub.EndGame(games_pb2.EndGameRequest(**about(one), reason=games_pb2.END_REASON_ABANDONED))
            assert review(channel, one, wires.SECONDS).code == "ok"
        for one in kept:
            world.look(one)
    with closing(sqlite3.connect(folder / "games")) as store:
        [(reviewed,)] = store.execute("SELECT count(DISTINCT game) FROM review")
    assert reviewed == len(ended) - 1  # that with an open seat had not begun
    return folder, kept


def review(channel: grpc.Channel, one: Kept, listen: float = wires.LISTEN) -> Ending:
    """Return how a request for a review of a game ends; that of an ended game is stored."""
    game = annotation_pb2.KeptGameReference(**about(one))
    request = annotation_pb2.AnnotateGameRequest(kept_game=game, iterations=50)
    method = methods()["/clerestory.v1.AnnotationService/AnnotateGame"]
    return wires.over_grpc(channel, method, request.SerializeToString(), (), listen)


def ask(channel: grpc.Channel, world: World, name: str, one: Kept, luck: Random) -> Ending:
    method = methods()[f"/clerestory.v1.{name}"]
    made = GOOD[name](world, one, luck)
    request = method.request(**made) if isinstance(made, dict) else made
    return wires.over_grpc(channel, method, request.SerializeToString(), ())


@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 40))])
def test_damaged_rows_stop_their_own_game_and_no_other(
    stored: tuple[Path, list[Kept]], tmp_path: Path, seed: int
) -> None:
    folder, kept = deepcopy(stored)
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("log", "delays"))
    luck, sound = Random(seed), kept[::CASES]
    broken = [one for one in kept if one not in sound]
    done = damage(tmp_path / "games", [one.game_id for one in broken], luck)
    options = (*OPTIONS, "--log-format", ("text", "json")[seed % 2])
    with watched_server(tmp_path, *options) as server, grpc.insecure_channel(server.target) as channel:
        world = connect(channel, "")
        faults = [f"{done[one.game_id]}: {fault}" for one in broken for fault in asked(channel, world, one, luck)]
        faults += dead_services(channel, ())
        go_on(world, sound, luck)
    assert not faults, "\n".join(faults)
    assert server.child.returncode == 0
    output = server.output()
    said = leaks(output, {token for one in kept for token in one.tokens}) + traces(output) + errors(output, FROZEN)
    assert not said, "\n".join(said)


def asked(channel: grpc.Channel, world: World, one: Kept, luck: Random) -> list[str]:
    """Return how calls about a game ended as none should."""
    endings = {name: ask(channel, world, name, one, luck) for name in ABOUT} | {"AnnotateGame": review(channel, one)}
    return [f"{one.game_id} {name} {ending}" for name, ending in endings.items() if is_faulty(ending)]


def go_on(world: World, sound: list[Kept], luck: Random) -> None:
    for one in sound:
        before = one.seen.game.version
        world.look(one)
        assert one.seen.game.version >= before
        if one.actions:
            before = one.seen.game.version
            world.play(one, luck)
            world.look(one)
            assert one.seen.game.version > before
    owners = games_pb2.GameServiceListGamesRequest(tokens=[one.tokens[0] for one in sound])
    assert {one.game_id for one in sound} == {one.game_id for one in world.stub.ListGames(owners).games}
