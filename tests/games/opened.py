"""A process that opens a store and prints how many games are in it: `python -m tests.games.opened STORE`."""

import asyncio
import sys

from clerestory.games.opening import open_store


async def opened(place: str) -> None:
    """Open a store, print how many games it has, and close it."""
    store = await open_store(place)
    print(sum(tally.games for tally in (await store.tally()).values()))
    await store.close()


if __name__ == "__main__":
    asyncio.run(opened(sys.argv[1]))
