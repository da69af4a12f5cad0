"""Enforces limits on what callers store, with counts in memory, so that the cost of a check is constant."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from clerestory.server.games.bounds import ENTRY_BYTES
from clerestory.server.games.cache import typed
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.store import Store, Tally
from clerestory.service_errors import Reason, ServiceError
from clerestory.sizes import spoken_size

MINUTE = 60.0
TRIES = 3  # attempts to count a store without concurrent changes

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on stored games.

    Attributes:
        games: unfinished games of all callers.
        each: unfinished games of one creator.
        bytes_each: size of all games of one creator, finished or not.
        a_minute: new games of one caller per minute, also the maximum burst.
    """

    games: int
    each: int
    bytes_each: int = 4 << 30
    a_minute: int = 600


class TokenBucket:
    """The rate limit on new games of one caller: a token bucket that fills by `Limits.a_minute`."""

    __slots__ = ("_left", "_moment")

    def __init__(self, a_minute: int, moment: float) -> None:
        self._left = float(a_minute)
        self._moment = moment

    def wait(self, a_minute: int, moment: float) -> float:
        """Return the seconds until one more game may be created, or count it and return 0."""
        self._left = min(a_minute, self._left + a_minute * (moment - self._moment) / MINUTE)
        self._moment = moment
        if self._left < 1:
            return (1 - self._left) * MINUTE / a_minute
        self._left -= 1
        return 0.0

    def full(self, a_minute: int, moment: float) -> bool:
        """Return whether the bucket is full, so that the caller can be dropped."""
        return self._left + a_minute * (moment - self._moment) / MINUTE >= a_minute


class Quota:
    """The stored games of each caller, and the limits on new ones.

    Args:
        store: the store to count.
        limits: the limits.
    """

    def __init__(self, store: Store, limits: Limits) -> None:
        self._store = store
        self._limits = limits
        self._tally: dict[str, Tally] = {}
        self._unfinished = 0
        self._counted = 0
        self._rooms: Counter[str] = Counter()  # reservations for games being stored, by maker
        self._paces: dict[str, TokenBucket] = {}
        self._known = False
        self._reading = asyncio.Lock()

    @property
    def unfinished(self) -> int:
        """The number of unfinished games of all callers."""
        return self._unfinished

    async def read(self) -> None:
        """Count the games in the store. Raises StoreError."""
        for _ in range(TRIES):
            counted = self._counted
            tally = await self._store.tally()
            if counted == self._counted:  # otherwise the count may or may not include a concurrent change
                break
        self._tally = dict(tally)
        self._unfinished = sum(one.unfinished for one in tally.values())
        for maker, rooms in self._rooms.items():
            self.add(maker, Tally(rooms, rooms))
        self._known = True
        self._forget(asyncio.get_running_loop().time())

    def _forget(self, moment: float) -> None:
        most = self._limits.a_minute
        self._paces = {maker: pace for maker, pace in self._paces.items() if not pace.full(most, moment)}

    def count(self, before: HostedGame | None, hosted: HostedGame) -> None:
        """Count a stored game, given its previous state; None for a new game."""
        new, old = before is None, 0 if before is None else before.version
        size = sum(ENTRY_BYTES + len(entry.text) for entry in hosted.entries[old:])
        size += len(hosted.head.opening) if new else 0
        unfinished = (not hosted.over) - (before is not None and not before.over)
        self.add(hosted.head.maker, Tally(unfinished, int(new), size))

    def add(self, maker: str, more: Tally) -> None:
        """Count games of one caller that were stored here or elsewhere."""
        self._tally[maker] = self._tally.get(maker, Tally()) + more
        self._unfinished += more.unfinished
        self._counted += 1

    @asynccontextmanager
    async def room(self, maker: str) -> AsyncIterator[None]:
        """Reserve quota for one more game of a caller while the game is being stored.

        Raises ServiceError: TOO_MANY_GAMES, STORE_FAILED.
        """
        with typed():
            await self._first_read()
        self._require_room(maker)
        self._keep_room(maker, 1)
        try:
            yield
        finally:
            self._keep_room(maker, -1)

    def _keep_room(self, maker: str, games: int) -> None:
        self._rooms[maker] += games
        self._rooms += Counter()  # drop makers without any
        self.add(maker, Tally(games, games))

    def _require_room(self, maker: str) -> None:
        """Raise ServiceError, TOO_MANY_GAMES, if a caller has reached a limit."""
        own, limits = self._tally.get(maker, Tally()), self._limits
        unfinished = f"{own.unfinished} of your games are unfinished, the most allowed; finish or abandon one first"
        require("max_games_each", own.unfinished, limits.each, unfinished)
        everybodys = f"{self.unfinished} games are unfinished, the most that this server allows; try again later"
        require("max_games", self.unfinished, limits.games, everybodys)
        stored = f"your games take {spoken_size(own.bytes)} in the store, the most that one caller may have"
        require("max_bytes_each", own.bytes, limits.bytes_each, stored)
        self._require_pace(maker)

    async def _first_read(self) -> None:
        if not self._known:
            async with self._reading:
                if not self._known:
                    await self.read()

    def _require_pace(self, maker: str) -> None:
        """Raise ServiceError, TOO_MANY_GAMES with a delay, for a caller that creates games too fast."""
        most, moment = self._limits.a_minute, asyncio.get_running_loop().time()
        wait = self._paces.setdefault(maker, TokenBucket(most, moment)).wait(most, moment)
        if wait:
            text = f"games were made by you within a minute; wait {wait:.1f} s before the next"
            metadata = {"limit": "max_games_a_minute", "most": str(most)}
            raise ServiceError(Reason.TOO_MANY_GAMES, [("", f"more than {most} {text}")], wait, metadata)


def require(limit: str, there: int, most: int, text: str) -> None:
    """Raise ServiceError, TOO_MANY_GAMES with the name and value of the limit, if the limit is reached."""
    if there >= most:
        raise ServiceError(Reason.TOO_MANY_GAMES, [("", text)], metadata={"limit": limit, "most": str(most)})
