"""Opening the store that a setting names."""

from clerestory.declared import BadSettings
from clerestory.games.sqlite import SqliteStore
from clerestory.games.store import Store

POSTGRES = ("postgresql:", "postgres:")
MISSING = "store: PostgreSQL needs further packages: pip install 'clerestory[postgres]'"


def is_database(name: str) -> bool:
    """Whether a setting names a database that several servers share."""
    return name.lower().startswith(POSTGRES)


async def open_store(name: str) -> Store:
    """Return the store of a setting: a file, `user:`, `memory:`, or the address of a database. Raises BadSettings."""
    if not is_database(name):
        return SqliteStore(name)
    try:
        from clerestory.games.postgres import PostgresStore
    except ImportError:
        raise BadSettings(MISSING) from None
    return await PostgresStore.open(name)
