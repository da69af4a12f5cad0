"""Maintenance of stores: copies them, even while a server writes, surveys and migrates them."""

import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from errno import ENOSPC
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from clerestory.declared import BadSettings
from clerestory.i18n.sentences import format_text
from clerestory.server.games.bounds import MIGRATING
from clerestory.server.games.hosted import why_frozen
from clerestory.server.games.store import Unreadable
from clerestory.server.games.stores.reading import head_of
from clerestory.server.games.stores.schema import complaint, make_private, open_file, require_store, require_whole
from clerestory.server.games.stores.sqlite import followed, require_no_folder
from clerestory.server.games.stores.store_location import (
    HEADER,
    file_of,
    is_database,
    of_file,
    require_ours,
    with_database,
)

TRIES = 20  # attempts to copy a file without a log restart in between
LOG_HEADER = 32  # header of an SQLite log, with a salt that changes when the log restarts
COPIED = 1 << 20  # bytes copied at a time
ENTRIES = "SELECT count(*) FROM entry"
HEADS = "SELECT CAST(head AS BLOB) FROM game"  # as bytes, so that invalid UTF-8 affects only its own game
DATABASE_HEADS = "SELECT textsend(head) FROM game"  # the same
NEVER_STARTED = "store: the database has no games: no server has started with it"
ELSEWHERE = "store: a database is backed up with pg_dump and restored with pg_restore (docs/hosting.md#backup)"


@dataclass(frozen=True, slots=True)
class Survey:
    """The contents of a store.

    Attributes:
        version: version of its tables.
        games: number of games.
        entries: number of entries of all games.
        frozen: number of games that this program cannot continue, by reason.
    """

    version: int
    games: int
    entries: int
    frozen: Mapping[str, int]


async def survey(store: str) -> Survey:
    """Return the contents of a store, named as for `open_store`. A server may be using it; nothing is changed.

    Raises BadSettings if it is not a store, is damaged, or is of a later version of this program.
    """
    if is_database(store):
        return await survey_database(store)
    with TemporaryDirectory() as folder:
        return copy_store(required_file(store), Path(folder) / "copy")


async def migrate_store(store: str, to: int | None) -> None:
    """Migrate a store without running servers to a version of its tables, None for that of this program.

    Raises BadSettings, also for a store in use or an unsupported version.
    """
    if is_database(store):
        await migrate_database(store, to)
    elif of_file(file := required_file(store)).busy:
        raise BadSettings(f"store: {file} is in use by a server; stop it first")
    else:
        open_file(str(file), to).close()


# -- files -----------------------------------------------------------------------------------------


def require_undamaged(file: Path) -> None:
    """Raise BadSettings if a store without a running server is too damaged to open; nothing is changed.

    A file with a log, after a server was killed, is not checked, because part of its data is in the log.
    """
    if log_of(file).exists():
        return
    connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        require_whole(connection, str(file))
    except sqlite3.Error as error:
        raise BadSettings(f"store: {file} {complaint(error)}") from None
    finally:
        connection.close()


def file_to_make(store: str) -> Path:
    """Return the file of a store, which may not exist. Raises BadSettings for a store that is not a file."""
    if is_database(store):
        raise BadSettings(ELSEWHERE)
    if (file := file_of(store)) is None:
        raise BadSettings("store: memory: ends with its server; name a file")
    return file


def required_file(store: str) -> Path:
    """Return the file of a store. Raises BadSettings if it does not exist, or the store is not a file."""
    return existing(file_to_make(store))


def existing(file: Path) -> Path:
    """Return a file. Raises BadSettings if it does not exist."""
    require_no_folder(file)
    if not file.is_file():
        raise BadSettings(f"store: there is no file {file}")
    return file


def copy_store(source: Path, target: Path, *, into_new_folder: bool = False) -> Survey:
    """Copy a store into a new file, even while a server writes to it; return the contents of the copy.

    The copy includes everything that was stored before the call. It gets its final name once it is complete and on
    disk.

    Args:
        source: the file of the store.
        target: the new file.
        into_new_folder: whether to create a missing target folder, as a server does for its store.

    Raises BadSettings if the source is not a store or is damaged, or if the target exists or cannot be written.
    """
    source = followed(source)
    for path in (target, log_of(target)):
        if path.exists():
            raise BadSettings(f"store: {path} exists already; move it away, or choose another name")
    part = target.with_name(f"{target.name}.part")
    try:
        with source.open("rb") as opened:
            require_ours(source, opened.read(HEADER))
        if into_new_folder:
            target.parent.mkdir(parents=True, exist_ok=True)
        copy_at_one_moment(source, part)
        found = settled(source, part)
        part.rename(target)
        sync(target.absolute().parent)
    except OSError as error:  # write errors have no file name
        read = error.filename in {str(source), str(log_of(source))}
        what = f"{error.filename} cannot be read" if read else f"{target} cannot be written"
        raise BadSettings(f"store: {what}: {error.strerror}") from None
    finally:
        with suppress(OSError):  # the folder may not exist
            part.unlink(missing_ok=True)
            log_of(part).unlink(missing_ok=True)
    return found


def log_of(file: Path) -> Path:
    """Return the path of SQLite's log of a file."""
    return file.with_name(f"{file.name}-wal")


def copy_at_one_moment(source: Path, target: Path) -> None:
    """Copy a file, then its log; pages that were overwritten in the file meanwhile are still in the log.

    So the copies are in the state after a crash, unless the log restarted in between; then the copy is repeated. No
    lock is taken, so the server is not disturbed. Raises BadSettings, OSError.
    """
    for _ in range(TRIES):
        log_of(target).unlink(missing_ok=True)
        before = state_of_log(source)
        copy_privately(source, target)
        with suppress(FileNotFoundError):  # a server deletes it on exit
            copy_privately(log_of(source), log_of(target))
        if state_of_log(source) == before:
            return
    raise BadSettings(f"store: {source} changes faster than it can be copied; try again when fewer people play")


def copy_privately(source: Path, target: Path) -> None:
    """Copy a file into a new one that only its owner can read."""
    with source.open("rb") as opened:
        target.unlink(missing_ok=True)
        make_private(target)
        with target.open("wb") as copy:
            shutil.copyfileobj(opened, copy, COPIED)


def state_of_log(file: Path) -> tuple[Any, ...]:
    """Return a value that changes when the log of a file restarts, or while the log is empty, when the file changes."""
    try:
        with log_of(file).open("rb") as opened:
            header, number = opened.read(LOG_HEADER), os.fstat(opened.fileno()).st_ino
    except FileNotFoundError:
        header, number = b"", 0
    return (number, header) if header else (number, file.stat().st_mtime_ns, file.stat().st_size)


def settled(source: Path, part: Path) -> Survey:
    """Merge the log into a copy, and return its contents. Raises BadSettings if the source is damaged."""
    connection = sqlite3.connect(part, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode=DELETE").fetchone()
        require_whole(connection, str(source), "integrity_check")
        require_store(connection, str(source))  # before the merge, the header may have been in the log only
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if not version:
            raise BadSettings(f"store: {source} is not a store of games")
        (entries,) = connection.execute(ENTRIES).fetchone()
        return surveyed(version, entries, (head for (head,) in connection.execute(HEADS)))
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:  # on the disk of the copy
            raise OSError(ENOSPC, os.strerror(ENOSPC)) from None
        raise BadSettings(f"store: {source} {complaint(error)}") from None
    finally:
        connection.close()
        sync(part)


def sync(path: Path) -> None:
    """Flush a file or folder to disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def surveyed(version: int, entries: int, heads: Iterable[bytes]) -> Survey:
    """Return the survey for the heads of all games."""
    reasons = Counter(reason_of(head) for head in heads)
    frozen = {reason: count for reason, count in sorted(reasons.items()) if reason}
    return Survey(version, reasons.total(), entries, frozen)


def reason_of(head: bytes) -> str:
    """Return why this program cannot continue a game; "" if it can."""
    try:
        why = why_frozen(head_of(head))
    except Unreadable as error:
        return str(error)
    return "" if why is None else format_text(why, "")


# -- databases -------------------------------------------------------------------------------------


async def survey_database(url: str) -> Survey:
    """Return the contents of a database. Raises BadSettings."""

    async def look(connection: Any) -> Survey:
        from clerestory.server.games.stores.postgres_schema import version_of

        async with connection.transaction(), connection.cursor("heads") as cursor:
            if not (version := await version_of(connection)):
                raise BadSettings(NEVER_STARTED)
            [entries] = await (await connection.execute(ENTRIES)).fetchone()
            await cursor.execute(DATABASE_HEADS)
            return surveyed(version, entries, [head async for (head,) in cursor])

    return await with_database(url, MIGRATING, look)


async def migrate_database(url: str, to: int | None) -> None:
    """Migrate a database to a version of its tables. Raises BadSettings."""

    async def convert(connection: Any) -> None:
        from clerestory.server.games.stores import postgres_schema
        from clerestory.server.games.stores.postgres import LEASE

        await postgres_schema.convert(connection, len(postgres_schema.SCRIPTS) if to is None else to, LEASE)

    await with_database(url, MIGRATING, convert)
