"""The file of the SQLite store: opening it, and migrating it from earlier versions."""

import os
import secrets
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from clerestory.declared import BadSettings

APPLICATION = 0x434C5253  # `CLRS`, in the header of the file
LEAST_SQLITE = (3, 37, 0)  # the first version with strict tables

Script = TypeVar("Script", bound=str)

# Script n, counted from 0, migrates a file from version n to n + 1. Never change a released script.
SCRIPTS = (
    """
    CREATE TABLE store (secret BLOB NOT NULL) STRICT;
    CREATE TABLE game (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        created INTEGER NOT NULL,  -- milliseconds since 1970, like all times
        head TEXT NOT NULL,  -- the part that never changes, as JSON
        status TEXT NOT NULL,  -- open, running or over (this and the next two are derived from the log)
        shown INTEGER NOT NULL,  -- ListGames shows it to everybody
        due INTEGER  -- when the server has to move, 0 for at once
    ) STRICT;
    CREATE INDEX game_shown ON game (created, id) WHERE shown;
    CREATE INDEX game_due ON game (due) WHERE due IS NOT NULL;
    CREATE TABLE entry (
        game TEXT NOT NULL REFERENCES game,
        number INTEGER NOT NULL,  -- from 0
        kind TEXT NOT NULL,
        seat INTEGER,
        text TEXT NOT NULL,
        moment INTEGER NOT NULL,
        PRIMARY KEY (game, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE key (
        digest TEXT PRIMARY KEY,  -- SHA-256 of a token, or of the name of a request
        game TEXT NOT NULL REFERENCES game,
        seat INTEGER,
        request INTEGER NOT NULL,
        moment INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX key_game ON key (game);
    """,
    """
    CREATE TABLE review (
        game TEXT NOT NULL REFERENCES game,
        plan TEXT NOT NULL,  -- digest of everything that determines the review
        ply INTEGER NOT NULL,
        message BLOB NOT NULL,  -- a ReviewedPly
        PRIMARY KEY (game, plan, ply)
    ) STRICT, WITHOUT ROWID;
    """,
    """
    ALTER TABLE game ADD COLUMN maker TEXT NOT NULL DEFAULT '';  -- digest of the caller who made it
    ALTER TABLE game ADD COLUMN bots_only INTEGER NOT NULL DEFAULT 0;  -- no person and no open seat
    ALTER TABLE game ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;  -- of its head, entries and reviews, about
    ALTER TABLE game ADD COLUMN touched INTEGER NOT NULL DEFAULT 0;  -- when it was last asked for, to an hour or two
    UPDATE game SET
        maker = CASE WHEN json_valid(head) THEN coalesce(json_extract(head, '$.maker'), '') ELSE '' END,
        bots_only = head NOT LIKE '%"kind":"person"%' AND head NOT LIKE '%"kind":"open"%' AND NOT EXISTS (
            SELECT 1 FROM entry WHERE game = id AND kind = 'seated' AND text NOT LIKE '%"kind":"bot"%'),
        bytes = length(CAST(head AS BLOB))
            + (SELECT coalesce(sum(64 + length(CAST(text AS BLOB))), 0) FROM entry WHERE game = id)
            + (SELECT coalesce(sum(64 + length(message)), 0) FROM review WHERE game = id),
        touched = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER);
    DROP INDEX game_shown;
    CREATE INDEX game_shown ON game (created, id, name, status, shown) WHERE shown;
    DROP INDEX game_due;
    CREATE INDEX game_due ON game (due) WHERE due IS NOT NULL AND NOT bots_only;
    CREATE INDEX game_waiting ON game (maker, due) WHERE due IS NOT NULL AND bots_only;
    CREATE INDEX game_maker ON game (maker, status, bytes);
    CREATE INDEX game_touched ON game (touched);
    ALTER TABLE review ADD COLUMN moment INTEGER NOT NULL DEFAULT 0;  -- when it was stored
    """,
    """
    UPDATE game SET shown = 0 WHERE shown AND status = 'over' AND head NOT LIKE '%"onlookers":"all"%'
    """,
    """
    CREATE TABLE notice_target (
        game TEXT NOT NULL REFERENCES game ON DELETE CASCADE,
        seat INTEGER NOT NULL,
        url TEXT NOT NULL,
        holder TEXT NOT NULL,  -- digest of the token of the seat
        keys BLOB NOT NULL,  -- of a push subscription, empty for a webhook
        told INTEGER NOT NULL,  -- version of the last turn that it was notified of, or of the game when it was added
        PRIMARY KEY (game, seat, url)
    ) STRICT, WITHOUT ROWID
    """,
)


# Script n migrates a file from version n back to version n - 1, and keeps all data that the older version can hold.
BACK = {
    5: "DROP TABLE notice_target",
    4: "",
    3: """
    DROP INDEX game_shown;
    DROP INDEX game_due;
    DROP INDEX game_waiting;
    DROP INDEX game_maker;
    DROP INDEX game_touched;
    ALTER TABLE game DROP COLUMN maker;
    ALTER TABLE game DROP COLUMN bots_only;
    ALTER TABLE game DROP COLUMN bytes;
    ALTER TABLE game DROP COLUMN touched;
    ALTER TABLE review DROP COLUMN moment;
    CREATE INDEX game_shown ON game (created, id) WHERE shown;
    CREATE INDEX game_due ON game (due) WHERE due IS NOT NULL;
    """,
}


def open_file(path: str, to: int | None = None) -> sqlite3.Connection:
    """Open a store, creating or migrating it, and return the only connection to it.

    Args:
        path: the file.
        to: the version of its tables, None for that of this program.

    Raises BadSettings for a file that cannot be opened, is in use by another process, is not a store, or is from a
    later version of this program.
    """
    if sqlite3.sqlite_version_info < LEAST_SQLITE:
        raise BadSettings(f"store: needs SQLite 3.37; this Python has {sqlite3.sqlite_version}")
    try:
        if path != ":memory:":
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            require_writable(path, Path(path).parent)
            make_private(Path(path))
        return connect(path, to)
    except sqlite3.Error as error:
        raise BadSettings(f"store: {path} {complaint(error)}") from None
    except OSError as error:
        raise BadSettings(f"store: {path} cannot be opened: {error.strerror}") from None


def require_writable(file: object, folder: Path) -> None:
    """Raise BadSettings if a folder is not writable; SQLite would report only an I/O error."""
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise BadSettings(f"store: {file} cannot be opened: nothing can be written in {folder}")


def make_private(file: Path) -> None:
    """Create a file that only its owner can read, if it does not exist, because it will contain hidden cards.

    SQLite gives its log the same permissions.
    """
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def complaint(error: sqlite3.Error) -> str:
    """Return a description of an error about a file."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None and code & 0xFF == sqlite3.SQLITE_BUSY:
        return "is in use by another server; give this one a file of its own, or memory:"
    if code == sqlite3.SQLITE_NOTADB:
        return "is not a store of games"
    if code == sqlite3.SQLITE_FULL:
        return "cannot be made or brought up to date: there is no space on its disk"
    if code is not None and code & 0xFF == sqlite3.SQLITE_CORRUPT:
        return damage(str(error))
    return f"cannot be opened: {error}"


def damage(found: str) -> str:
    """Return a one-line description of damage that SQLite found in a file."""
    return f"is damaged: {found.splitlines()[-1]}; restore a backup (docs/hosting.md#backup)"


def connect(path: str, to: int | None) -> sqlite3.Connection:
    """Open a file with an exclusive lock, and migrate it."""
    connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")  # before the first lock, which is then never released
        connection.execute("BEGIN EXCLUSIVE")
        require_store(connection, path)
        connection.execute("COMMIT")
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "trusted_schema=OFF"):
            connection.execute(f"PRAGMA {pragma}").fetchone()
        require_whole(connection, path)
        migrate(connection, len(SCRIPTS) if to is None else to)
    except BaseException:
        connection.close()
        raise
    return connection


def require_store(connection: sqlite3.Connection, path: str) -> None:
    """Raise BadSettings for a file that is neither empty nor a store, or is of a later version."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application != APPLICATION and (tables or application or version):
        raise BadSettings(f"store: {path} is not a store of games")
    if version > len(SCRIPTS):
        raise BadSettings(f"store: {path} {too_late(version, len(SCRIPTS))}")


def require_whole(connection: sqlite3.Connection, path: str, check: str = "quick_check") -> None:
    """Raise BadSettings for a file with unreadable pages, with which games would fail one by one.

    This reads the whole file: `quick_check` takes 0.3 s of CPU time for 10,000 games of 16 KB; `integrity_check`, which
    also compares the indexes, takes longer.
    """
    (found,) = connection.execute(f"PRAGMA {check}(1)").fetchone()
    if found != "ok":
        raise BadSettings(f"store: {path} {damage(found)}")


def migrate(connection: sqlite3.Connection, to: int) -> None:
    """Migrate the file to a version, in one transaction; if it has that version, write nothing. Raises BadSettings."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == to:
        return
    scripts = between(version, to, SCRIPTS, BACK)
    connection.execute("BEGIN EXCLUSIVE")
    for script in scripts:
        for statement in script.split(";"):
            connection.execute(statement)
    if not version:
        connection.execute("INSERT INTO store VALUES (?)", (secrets.token_bytes(32),))
        connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute(f"PRAGMA user_version={to}")
    connection.execute("COMMIT")


def between(version: int, to: int, forth: Sequence[Script], back: Mapping[int, Script]) -> list[Script]:
    """Return the scripts that migrate from one version to another, in order. Raises BadSettings if there are none.

    Args:
        version: the current version of the tables.
        to: the target version.
        forth: script n migrates from version n to n + 1.
        back: script n migrates from version n to n - 1.
    """
    known = [*range(min(back, default=len(forth) + 1) - 1, len(forth) + 1)]
    if to not in known:
        raise BadSettings(f"to: {to} is not one of {', '.join(map(str, known))}, the formats that this program makes")
    return [*forth[version:to]] if version < to else [back[later] for later in range(version, to, -1)]


def too_late(version: int, known: int) -> str:
    """Return the error message for a store of a later version than this program supports."""
    return f"was written by a later version of Clerestory (format {version}; this one reads up to {known})"
