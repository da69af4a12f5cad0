"""The jobs of the SQLite store: they read and write rows on its connection."""

import json
import sqlite3
import time
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

from clerestory.server.games.bounds import DELETED_BYTES, ENTRY_BYTES, LOOKED_AT, MAKERS, MOST_REVIEWS, MOST_TARGETS
from clerestory.server.games.log import Entry, Head
from clerestory.server.games.store import TARGET, Batch, Conflict, Due, GameLog, NoticeTarget, Tally, Unreadable, untold
from clerestory.server.games.stores.reading import NO_TEXT, entries_of, head_of

ORPHANS = "due IS NOT NULL AND bots_only"  # due games of bots only
NAMED = "id NOT GLOB '*[^-0-9A-Za-z_]*'"  # accessible games: the ID of a damaged row may not be valid text
SEAT_KEYS = 3  # values that find the targets of a seat: the game, the seat and its holder


def read_secret(connection: sqlite3.Connection) -> bytes:
    """Return the store's secret, after reading a row of every table to detect damage."""
    for table in ("game", "entry", "key", "review", "notice_target"):
        connection.execute(f"SELECT 1 FROM {table} NOT INDEXED LIMIT 1").fetchone()
    (secret,) = connection.execute("SELECT secret FROM store").fetchone()
    return bytes(secret)


def latest_turn(connection: sqlite3.Connection) -> int:
    """Return when the latest turn with a running clock began, in milliseconds since 1970; 0 if there is none."""
    last = "SELECT moment FROM entry WHERE game = id ORDER BY number DESC LIMIT 1"
    found = connection.execute(f"SELECT max(({last})) FROM game WHERE due IS NOT NULL AND NOT bots_only").fetchone()[0]
    return int(found or 0)


def read_all(connection: sqlite3.Connection, text: str, values: Any = ()) -> list[Any]:
    """Return rows of many games, with replacement characters for invalid UTF-8, so that the others stay readable.

    SQLite does not check that text is UTF-8, not even in its integrity checks.
    """
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    try:
        return connection.execute(text, values).fetchall()
    finally:
        connection.text_factory = str


def forget_requests(connection: sqlite3.Connection, before: int, most: int) -> int:
    """Delete request names from before a moment, at most `most`; return how many."""
    old = "SELECT digest FROM key WHERE request AND moment < ? LIMIT ?"
    return connection.execute(f"DELETE FROM key WHERE digest IN ({old})", (before, most)).rowcount


def read_tally(connection: sqlite3.Connection) -> dict[str, Tally]:
    """Return the totals of each maker."""
    text = "SELECT maker, sum(status <> 'over'), count(*), sum(bytes) FROM game GROUP BY maker"
    return {maker: Tally(*counts) for maker, *counts in read_all(connection, text)}


# -- games -----------------------------------------------------------------------------------------


def create(connection: sqlite3.Connection, head: Head, batch: Batch) -> None:
    """Add a game."""
    text, summary = head.to_json(), batch.summary
    values = {
        "id": head.game_id,
        "name": head.game,
        "created": head.created,
        "head": text,
        "status": summary.status,
        "shown": summary.shown,
        "due": summary.due,
        "maker": head.maker,
        "bots_only": summary.bots_only,
        "bytes": len(text.encode()) + batch.bytes,
        "touched": head.created,
    }
    columns, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
    connection.execute(f"INSERT INTO game ({columns}) VALUES ({marks})", values)
    insert(connection, head.game_id, 0, batch)


def append(connection: sqlite3.Connection, game_id: str, number: int, batch: Batch) -> None:
    """Add entries to a game, beginning with this number. Raises Conflict if there is no such game."""
    summary = batch.summary
    insert(connection, game_id, number, batch)
    changed = connection.execute(
        "UPDATE game SET status = ?, shown = ?, due = ?, bots_only = ?, bytes = bytes + ? WHERE id = ?",
        (summary.status, summary.shown, summary.due, summary.bots_only, batch.bytes, game_id),
    )
    if not changed.rowcount:
        raise Conflict("there is no such game")


def insert(connection: sqlite3.Connection, game_id: str, number: int, batch: Batch) -> None:
    """Add entries, beginning with this number, and keys of the game."""
    now = int(1000 * time.time())
    entries = [(game_id, number + i, one.kind, one.seat, one.text, one.moment) for i, one in enumerate(batch.entries)]
    connection.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)", entries)
    keys = [(key.digest, game_id, key.seat, key.request, now) for key in batch.keys]
    connection.executemany("INSERT INTO key VALUES (?, ?, ?, ?, ?)", keys)


def read_game(connection: sqlite3.Connection, game_id: str) -> GameLog | None:
    """Return a game; None if it does not exist. Raises Unreadable."""
    try:
        row = connection.execute("SELECT head FROM game WHERE id = ?", (game_id,)).fetchone()
    except sqlite3.DatabaseError as error:
        raise damaged(error) from None
    return None if row is None else (head_of(row[0]), read_entries(connection, game_id))


def read_entries(connection: sqlite3.Connection, game_id: str, number: int = 0) -> list[Entry]:
    """Return the entries of a game from a number on. Raises Unreadable."""
    text = "SELECT number, kind, seat, text, moment FROM entry WHERE game = ? AND number >= ? ORDER BY number"
    try:
        rows = connection.execute(text, (game_id, number)).fetchall()
    except sqlite3.DatabaseError as error:
        raise damaged(error) from None
    return entries_of(number, rows)


def damaged(error: sqlite3.DatabaseError) -> Exception:
    """Return Unreadable for an error caused by damaged rows; any other error unchanged."""
    code = getattr(error, "sqlite_errorcode", None) or 0
    if "decode to UTF-8" in str(error):  # its text quotes data
        return Unreadable(NO_TEXT)
    return Unreadable(str(error)) if code & 0xFF == sqlite3.SQLITE_CORRUPT else error


def read_keys(connection: sqlite3.Connection, digests: Sequence[str]) -> dict[str, tuple[str, int | None]]:
    """Return (game, seat) of keys."""
    marks = ", ".join("?" * len(digests))
    found = read_all(connection, f"SELECT digest, game, seat FROM key WHERE digest IN ({marks})", digests)
    return {digest: (game, seat) for digest, game, seat in found}


def delete_untouched(connection: sqlite3.Connection, before: int, most: int) -> list[str]:
    """Delete games that were last accessed before a moment, and return them."""
    oldest = f"""
        SELECT id FROM (
            SELECT id, bytes, sum(bytes) OVER (ORDER BY touched ROWS UNBOUNDED PRECEDING) AS total FROM game
            WHERE touched < ? AND {NAMED} ORDER BY touched LIMIT ?
        ) WHERE total - bytes < ?
    """
    found = connection.execute(oldest, (before, most, DELETED_BYTES)).fetchall()
    for text in (
        "DELETE FROM review WHERE game = ?",
        "DELETE FROM key WHERE game = ?",
        "DELETE FROM entry WHERE game = ?",
        "DELETE FROM game WHERE id = ?",
    ):
        connection.executemany(text, found)
    return [game_id for (game_id,) in found]


def insert_review(connection: sqlite3.Connection, game_id: str, plan: str, plies: Mapping[int, bytes]) -> None:
    """Add plies of a review, keeping those already stored. Delete the oldest reviews if there are too many."""
    now, added = int(1000 * time.time()), 0
    begun = connection.execute("SELECT 1 FROM review WHERE game = ? AND plan = ? LIMIT 1", (game_id, plan)).fetchone()
    for ply, message in plies.items():
        row = (game_id, plan, ply, message, now)
        done = connection.execute("INSERT OR IGNORE INTO review VALUES (?, ?, ?, ?, ?)", row)
        added += done.rowcount * (ENTRY_BYTES + len(message))
    if begun is None:
        oldest = """
            DELETE FROM review WHERE game = ? AND plan IN (
                SELECT plan FROM review WHERE game = ? GROUP BY plan ORDER BY max(moment) DESC LIMIT -1 OFFSET ?
            ) RETURNING length(message)
        """
        added -= sum(ENTRY_BYTES + size for (size,) in connection.execute(oldest, (game_id, game_id, MOST_REVIEWS)))
    connection.execute("UPDATE game SET bytes = bytes + ? WHERE id = ?", (added, game_id))


def insert_target(connection: sqlite3.Connection, game_id: str, target: NoticeTarget) -> bool:
    """Add a target, or replace the keys of one; return False if the seat's holder has too many others."""
    seat = (game_id, target.seat)
    connection.execute("DELETE FROM notice_target WHERE game = ? AND seat = ? AND holder <> ?", (*seat, target.holder))
    others = "SELECT count(*) FROM notice_target WHERE game = ? AND seat = ? AND url <> ?"
    if connection.execute(others, (*seat, target.url)).fetchone()[0] >= MOST_TARGETS:
        return False
    text = "INSERT INTO notice_target VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET keys = excluded.keys"
    connection.execute(text, (*seat, target.url, target.holder, target.keys, target.told))
    return True


def read_targets(connection: sqlite3.Connection, *values: Any) -> list[NoticeTarget]:
    """Return the targets of a seat, given the game, the seat, its holder, and perhaps the turn they have to know of."""
    unknown = f"AND {untold('?')}" if len(values) > SEAT_KEYS else ""
    text = f"SELECT {TARGET} FROM notice_target WHERE game = ? AND seat = ? AND holder = ? {unknown}"
    return [NoticeTarget(*row) for row in connection.execute(text, values)]


# -- games in which the server has to move ---------------------------------------------------------


def read_due(connection: sqlite3.Connection, before: int, most: int, skip: Collection[str]) -> list[Due]:
    """Return due games with a person: first the longest due one of each maker, then others."""
    text = f"""
        SELECT id, maker, due FROM (
            SELECT id, maker, due FROM game
            WHERE due IS NOT NULL AND NOT bots_only AND due < ? AND {NAMED}
                AND id NOT IN (SELECT value FROM json_each(?))
            ORDER BY due LIMIT ?
        ) ORDER BY row_number() OVER (PARTITION BY maker ORDER BY due), due LIMIT ?
    """
    found = read_all(connection, text, (before, json.dumps([*skip]), LOOKED_AT, most))
    return [Due(*row) for row in found]


def read_waiting(
    connection: sqlite3.Connection, before: int, after: str | None, most: int, skip: Collection[str]
) -> list[Due]:
    """Return the longest due game of bots only of each maker after `after` (None: of all), at most `most`."""
    values = {"before": before, "after": after, "most": most, "makers": MAKERS, "skip": json.dumps([*skip])}
    return [Due(*row) for row in read_all(connection, WAITING[after is not None], values)]


def waiting(following: str) -> str:
    """Return the query for `read_waiting`, given a condition for the first maker."""
    maker = f"SELECT min(maker) FROM game WHERE {ORPHANS}"
    return f"""
        WITH RECURSIVE turn (maker, number) AS (
            SELECT ({maker} {following}), 1
            UNION ALL
            SELECT ({maker} AND maker > turn.maker), number + 1 FROM turn
            WHERE turn.maker IS NOT NULL AND number < :makers
        )
        SELECT game.id, game.maker, game.due FROM turn JOIN game ON game.id = (
            SELECT id FROM game AS own WHERE own.maker = turn.maker AND {ORPHANS} AND due < :before AND {NAMED}
                AND id NOT IN (SELECT value FROM json_each(:skip))
            ORDER BY due LIMIT 1
        ) LIMIT :most
    """


WAITING = (waiting(""), waiting("AND maker > :after"))
