"""Rows of a store as a fault of a disk, a careless hand or another version of the server could leave them."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

from tests.faults.mutations import ODD
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
    """Return what never changes of a game."""
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
    """Change the first position of a game."""
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
