"""Files of games in which pages are overwritten."""

import sqlite3
from pathlib import Path

ANY = b"\xa5"


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
