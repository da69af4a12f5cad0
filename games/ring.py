"""Whose turn it is among the makers of games of bots only."""

from collections.abc import Awaitable, Callable, Collection

from clerestory.games.store import Due

# Returns a due game of each maker after one, of all for None, in the order of makers: at most so many, and not these.
Read = Callable[[str | None, int, list[str]], Awaitable[list[Due]]]


class Ring:
    """Makers in a circle: each gets a game moved in, then it is the next one's turn."""

    def __init__(self) -> None:
        self._last: str | None = None  # maker of the last game taken

    async def take(self, read: Read, most: int, skip: Collection[str]) -> list[Due]:
        """Return at most so many games, going round as often as there are games."""
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
