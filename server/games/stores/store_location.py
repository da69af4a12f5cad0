"""Locates the store that a setting names, checks its state without opening it, and opens it."""

import fcntl
import shutil
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from clerestory.declared import BadSettings
from clerestory.server.games.store import Store
from clerestory.server.games.stores import sqlite
from clerestory.server.games.stores.schema import APPLICATION, SCRIPTS, require_writable, too_late
from clerestory.server.games.stores.sqlite import SqliteStore

HEADER = 100  # bytes of the header of an SQLite file
MAGIC = b"SQLite format 3\0"
VERSION, OWNER = slice(60, 64), slice(68, 72)  # of the header: version of the tables, and application ID
LOCKED = 0x40000000, 512  # first byte and number of bytes that SQLite locks
LOOKING = 5.0  # timeout of a database in seconds
POSTGRES = ("postgresql:", "postgres:")
MISSING = "store: PostgreSQL needs further packages: pip install 'clerestory[postgres]'"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StoreLocation:
    """The location and the state of a store.

    Attributes:
        place: a phrase for users.
        new: whether nothing has been stored there yet.
        folder: a folder on its disk; None for memory and for a database.
        busy: whether another process uses it exclusively.
        ahead: how far the clock of a database is ahead of this machine's, in seconds.
    """

    place: str
    new: bool
    folder: Path | None = None
    busy: bool = False
    ahead: float = 0.0

    @property
    def disk(self) -> tuple[int, int] | None:
        """The total and free bytes of its disk; None if it is not on a disk of this machine."""
        if self.folder is None:
            return None
        usage = shutil.disk_usage(self.folder)
        return usage.total, usage.free


async def store_location(store: str) -> StoreLocation:
    """Return the location of a store, named as for `open_store`. Raises BadSettings if it cannot be opened."""
    if is_database(store):
        return await of_database(store)
    file = file_of(store)
    return StoreLocation("memory", new=True) if file is None else of_file(file)


def file_of(store: str) -> Path | None:
    """Return the file of a store; None for memory and for a database. Raises BadSettings for an invalid file name."""
    return None if is_database(store) else sqlite.file_of(store)


def of_file(file: Path) -> StoreLocation:
    """Return the state of a file. Raises BadSettings."""
    folder = next(one for one in file.absolute().parents if one.exists())
    require_writable(file, folder)
    if not file.exists():
        return StoreLocation(str(file), new=True, folder=folder)
    try:
        with file.open("r+b") as opened:
            header = opened.read(HEADER)
            require_ours(file, header)
            return StoreLocation(str(file), new=not header, folder=folder, busy=is_locked(opened))
    except OSError as error:
        raise BadSettings(f"store: {file} cannot be opened: {error.strerror}") from None


def require_ours(file: Path, header: bytes) -> None:
    """Raise BadSettings unless a file is empty, or has the header of a store that this program can read."""
    if not header:
        return
    if not header.startswith(MAGIC) or int.from_bytes(header[OWNER]) not in (0, APPLICATION):
        raise BadSettings(f"store: {file} is not a store of games")
    version = int.from_bytes(header[VERSION])
    if version > len(SCRIPTS):
        raise BadSettings(f"store: {file} {too_late(version, len(SCRIPTS))}")


def is_locked(opened: Any) -> bool:
    """Return whether another process holds SQLite's lock on a file."""
    begin, length = LOCKED
    try:
        fcntl.lockf(opened, fcntl.LOCK_EX | fcntl.LOCK_NB, length, begin)
    except OSError:
        return True
    fcntl.lockf(opened, fcntl.LOCK_UN, length, begin)
    return False


async def of_database(url: str) -> StoreLocation:
    """Return the state of a database. Raises BadSettings."""

    async def ask(connection: Any) -> tuple[float, bool]:
        from clerestory.server.games.stores.postgres_link import Address, require_sessions
        from clerestory.server.games.stores.postgres_schema import version_of

        await require_sessions(Address.read(url))
        new = not await version_of(connection)
        if new:
            async with connection.transaction(force_rollback=True):
                await connection.execute("CREATE TABLE store ()")  # as a server does, which may lack the privilege
        [database_time] = await (
            await connection.execute("SELECT extract(epoch FROM clock_timestamp())::float8")
        ).fetchone()
        return database_time, new

    database_time, new = await with_database(url, LOOKING, ask)
    return StoreLocation("PostgreSQL", new=new, ahead=database_time - time.time())


def is_database(name: str) -> bool:
    """Return whether a setting names a database that several servers can share."""
    return name.lower().startswith(POSTGRES)


async def open_store(name: str) -> Store:
    """Return the store of a setting: a file, `user:`, `memory:`, or the URL of a database. Raises BadSettings."""
    if not is_database(name):
        return SqliteStore(name)
    try:
        from clerestory.server.games.stores.postgres import PostgresStore
    except ImportError:
        raise BadSettings(MISSING) from None
    return await PostgresStore.open(name)


async def with_database(url: str, seconds: float, do: Callable[[Any], Awaitable[T]]) -> T:
    """Run a function on a connection to a database, within a time limit. Raises BadSettings, Unreachable."""
    try:
        import psycopg

        from clerestory.server.games.stores.postgres_link import Address, connect, limited, why_unusable
    except ImportError:
        raise BadSettings(MISSING) from None
    address = Address.read(url)
    try:
        async with await connect(address) as connection:
            connection.prepare_threshold = None  # poolers lose prepared statements with the session
            with limited(connection, seconds):
                return await do(connection)
    except (psycopg.Error, OSError, TimeoutError) as error:
        raise why_unusable(error, address) from None
