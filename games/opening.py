"""Opening the store that a setting names."""

from clerestory.declared import BadSettings
from clerestory.games.sqlite import SqliteStore
from clerestory.games.store import Store

POSTGRES = ("postgresql:", "postgres:")


async def open_store(name: str) -> Store:
    """Return the store of a setting: a file, `user:`, `memory:`, or the address of a database. Raises BadSettings."""
    if not name.lower().startswith(POSTGRES):
        return SqliteStore(name)
    try:
        from clerestory.games.postgres import PostgresStore
    except ImportError:
        raise BadSettings("store: PostgreSQL needs further packages: pip install 'clerestory[postgres]'") from None
    return await PostgresStore.open(name)
