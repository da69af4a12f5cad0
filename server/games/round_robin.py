"""Round robin over the makers of games of bots only."""

from collections.abc import Awaitable, Callable, Collection

from clerestory.server.games.store import Due

# Returns a due game of each maker after a given one (None: of all makers), in maker order: up to a maximum, without the
# listed games.
Read = Callable[[str | None, int, list[str]], Awaitable[list[Due]]]


class RoundRobin:
    """Round robin over makers: each gets one game, then the next maker is served."""

    def __init__(self) -> None:
        self._last: str | None = None  # maker of the last game taken

    async def take(self, read: Read, most: int, skip: Collection[str]) -> list[Due]:
        """Return at most `most` games, in as many rounds as necessary."""
        found: list[Due] = []
        while len(found) < most:
            got = await read(self._last, most - len(found), [*skip, *(one.game_id for one in found)])
            found += got
            if not got and self._last is None:
                break
            self._last = None
        if found:
            self._last = found[-1].maker
        return found
