"""Files of games in which pages are overwritten, and rows in which a bit has changed."""

import sqlite3
from pathlib import Path
from typing import Any

from clerestory.server.games.stores.sqlite import SqliteStore

ANY = b"\xa5"
CAST = """
    DO $$ BEGIN CREATE CAST (bytea AS text) WITHOUT FUNCTION; EXCEPTION WHEN duplicate_object THEN NULL; END $$
"""  # which checks nothing


async def change(store: Any, text: str) -> None:
    if isinstance(store, SqliteStore):
        await store._ask(lambda connection: connection.execute(text).rowcount)
    else:
        await store._do(lambda cursor: cursor.execute(text))


async def spoil(store: Any, table: str, column: str, where: str, also: str = "") -> None:
    """Make the text of a column no UTF-8 in some rows, by a byte before it, which stores do not check."""
    odd = "CAST(x'e1' AS TEXT)"
    if not isinstance(store, SqliteStore):
        odd = r"CAST('\xe1'::bytea AS TEXT)"
        await change(store, CAST)
    await change(store, f"UPDATE {table} SET {also} {column} = {odd} || {column} WHERE {where}")


def root_of(path: Path, name: str) -> tuple[int, int]:
    """Return the number of the first page of a table or an index, and the bytes of a page."""
    connection = sqlite3.connect(path)
    try:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).fetchone()
        return root, size
    finally:
        connection.close()


def overwrite(path: Path, page: int, size: int, count: int = 1) -> None:
    """Overwrite pages, the first with this number, counted from 1."""
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(ANY * size * count)
