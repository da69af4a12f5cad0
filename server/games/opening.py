"""Opens the store that a setting names."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from clerestory.declared import BadSettings
from clerestory.server.games.sqlite import SqliteStore
from clerestory.server.games.store import Store

POSTGRES = ("postgresql:", "postgres:")
MISSING = "store: PostgreSQL needs further packages: pip install 'clerestory[postgres]'"

T = TypeVar("T")


def is_database(name: str) -> bool:
    """Return whether a setting names a database that several servers can share."""
    return name.lower().startswith(POSTGRES)


async def open_store(name: str) -> Store:
    """Return the store of a setting: a file, `user:`, `memory:`, or the URL of a database. Raises BadSettings."""
    if not is_database(name):
        return SqliteStore(name)
    try:
        from clerestory.server.games.postgres import PostgresStore
    except ImportError:
        raise BadSettings(MISSING) from None
    return await PostgresStore.open(name)


async def with_database(url: str, seconds: float, do: Callable[[Any], Awaitable[T]]) -> T:
    """Run a function on a connection to a database, within a time limit. Raises BadSettings, Unreachable."""
    try:
        import psycopg

        from clerestory.server.games.postgres_link import Address, connect, limited, why_unusable
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
