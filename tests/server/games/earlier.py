"""Stores that an earlier version wrote, and its server's answers about their games."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "data" / "earlier"
FIRST = "7d70b6d"  # the earliest revision with stored examples
REVISIONS = (FIRST, "0adc857")
VERSION = {"file": 2, "database": 1}  # of the tables of FIRST
IN_WORDS = {"label", "changes", "english"}  # fields that the server recomputes, in words that may change


def unpack_file(path: Path, revision: str = FIRST) -> str:
    """Write the file of a revision; return its name as a setting has it."""
    path.write_bytes(gzip.decompress((DATA / revision / "games.sqlite.gz").read_bytes()))
    return str(path)


def restore(database: str, revision: str = FIRST) -> str:
    """Restore the dump of a revision into an empty database, and return its address."""
    import psycopg

    with psycopg.connect(database) as connection:
        connection.execute(gzip.decompress((DATA / revision / "games.sql.gz").read_bytes()))
    return database


def told(sort: str, revision: str = FIRST) -> dict[str, Any]:
    """Return what the server of a revision said of each game, by name."""
    name = "sqlite" if sort == "file" else "postgres"
    found: dict[str, Any] = json.loads(gzip.decompress((DATA / revision / f"{name}.json.gz").read_bytes()))
    return found


def differences(there: Any, expected: Any, path: str = "") -> Iterator[str]:
    """Yield where a message, as JSON, is not as expected; later versions may have added fields."""
    if isinstance(expected, dict) and isinstance(there, dict):
        for name, value in expected.items():
            if name in IN_WORDS:
                continue
            yield from differences(there.get(name), value, f"{path}.{name}")
    elif isinstance(expected, list) and isinstance(there, list) and len(expected) == len(there):
        for number, value in enumerate(expected):
            yield from differences(there[number], value, f"{path}[{number}]")
    elif there != expected:
        yield f"{path}: {there!r:.200} is not {expected!r:.200}"
