"""Opening the store that a setting names."""

from clerestory.server.config import BadSettings
from clerestory.server.games.sqlite import SqliteStore
from clerestory.server.games.store import Store

POSTGRES = ("postgresql:", "postgres:")


async def open_store(name: str) -> Store:
    """Return the store of a setting: a file, `user:`, `memory:`, or the address of a database. Raises BadSettings."""
    if not name.lower().startswith(POSTGRES):
        return SqliteStore(name)
    try:
        from clerestory.server.games.postgres import PostgresStore
    except ImportError:
        raise BadSettings("store: PostgreSQL needs further packages: pip install 'clerestory[postgres]'") from None
    return await PostgresStore.open(name)
