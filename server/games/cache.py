"""Caches games in memory: loads each game once, and evicts unused games when memory is needed."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from itertools import cycle

from clerestory.server.games.background import Seldom, run_in_thread
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import Entry, Head
from clerestory.server.games.session import GameSession
from clerestory.server.games.store import Conflict, Store, StoreError, StoreFull, Unreadable
from clerestory.server.games.viewer import GAME_ID
from clerestory.service_errors import Reason, ServiceError, raise_error
from clerestory.turns import Turns

IDLE_BYTES = 64 << 20  # of unused games; above this, the least recently used are evicted
MOST_ASIDE = 10_000  # unreadable games to remember
CALL_TURNS = 8  # turns of games that calls wait for, for each turn of an automatic move

logger = logging.getLogger(__name__)
failures = Seldom(logger)  # limits log lines, because every call and automatic move reports a failing store


class SetAside(ServiceError):
    """A game is unreadable for this server; a server of another version may be able to read it.

    Args:
        game_id: ID of the game.
        why: the reason, for its players.
    """

    def __init__(self, game_id: str, why: str) -> None:
        self.game_id = game_id
        self.why = why
        super().__init__(Reason.FROZEN, [("game_id", why)])


class GameCache:
    """The games in memory.

    Args:
        store: the store of games.

    Attributes:
        games: the loaded games, by ID.
        unreadable: why games are unreadable, by ID; at most MOST_ASIDE of them.
    """

    def __init__(self, store: Store) -> None:
        self.games: dict[str, GameSession] = {}
        self.unreadable: OrderedDict[str, str] = OrderedDict()
        self._store = store
        self._reading: dict[str, asyncio.Task[HostedGame]] = {}
        self._idle: OrderedDict[str, int] = OrderedDict()  # bytes of unused games, least recently used first
        self._idle_bytes = 0
        self._turns, self._lanes = Turns(), cycle(range(CALL_TURNS))

    async def turn(self, *, calling: bool = False) -> None:
        """Wait for a turn to work on a game for some milliseconds; calls run between two turns.

        Games that calls wait for get CALL_TURNS turns for each of an automatic move, which takes longer.
        """
        async with self._turns.taken(next(self._lanes) if calling else None):
            pass

    @asynccontextmanager
    async def lend(self, game_id: str, *, fresh: bool = False) -> AsyncIterator[GameSession]:
        """Lend the single instance of a game; `fresh` forces a check of the store even if it is not shared.

        Raises ServiceError: NO_SUCH_GAME, STORE_FAILED; SetAside.
        """
        read = game_id not in self.games and game_id not in self._reading  # loaded by this call, and so up to date
        if game_id not in self.games:
            hosted = await self._read(game_id, calling=not fresh)
            self.games.setdefault(game_id, GameSession(hosted))
        live = self.games[game_id]
        with self.use(live):
            if not read and (self._store.shared or fresh or live.unsure):
                await self._catch_up(live)
            self.unreadable.pop(game_id, None)
            yield live

    def add(self, hosted: HostedGame) -> None:
        """Add a game that was just stored, unless it has been loaded since."""
        live = self.games.setdefault(hosted.head.game_id, GameSession(hosted))
        with self.use(live):
            live.show(hosted, self._store.now())

    def drop(self, game_ids: Sequence[str]) -> None:
        """Unload games that were deleted from the store."""
        for game_id in game_ids:
            if game_id in self._idle:
                self._unload(game_id)
            self.games.pop(game_id, None)

    async def reload(self, live: GameSession) -> None:
        """Reload a game if the store has more or fewer entries. Raises ServiceError."""
        hosted = await self._load(live.hosted.head.game_id)
        if hosted.version != live.hosted.version or not hosted.follows(live.hosted):
            live.become(hosted, self._store.now())

    async def _catch_up(self, live: GameSession) -> None:
        """Load entries stored by other servers, or by writes that were reported as failed."""
        game_id = live.hosted.head.game_id
        async with live.lock:
            with self._guarded(game_id):
                later = await self._later(live.hosted)
                if later:
                    live.become(extended(live.hosted.copy(), later), self._store.now())
            if later is None:
                await self.reload(live)
            live.unsure = False

    async def _later(self, hosted: HostedGame) -> Sequence[Entry] | None:
        """Return the later entries of a game; None if the store may have lost entries, or the whole game."""
        if not hosted.version:
            return None
        found = await self._store.later(hosted.head.game_id, hosted.version - 1)
        return found[1:] if found[:1] == hosted.entries[-1:] else None

    async def _read(self, game_id: str, *, calling: bool) -> HostedGame:
        """Load a game, once for all concurrent requests."""
        if game_id not in self._reading:
            task = self._reading[game_id] = asyncio.create_task(self._load(game_id, calling=calling))
            task.add_done_callback(lambda done: self._read_to_end(game_id, done))
        return await asyncio.shield(self._reading[game_id])

    def _read_to_end(self, game_id: str, done: asyncio.Task[HostedGame]) -> None:
        """Remove a finished load, and mark its error as retrieved in case all waiters have left."""
        del self._reading[game_id]
        if not done.cancelled():
            done.exception()

    async def _load(self, game_id: str, *, calling: bool = True) -> HostedGame:
        with self._guarded(game_id):
            found = await self._store.load(game_id) if GAME_ID.fullmatch(game_id) else None
            if found is None:
                self.games.pop(game_id, None)  # it was deleted
                raise_error(Reason.NO_SUCH_GAME, "game_id", f"{game_id[:40]!r} is not a game of this server")
            await self.turn(calling=calling)
            return await run_in_thread(len(found[1]), replayed, *found)

    # -- unreadable games ------------------------------------------------------------------------------

    @contextmanager
    def _guarded(self, game_id: str) -> Iterator[None]:
        """Mark a game as unreadable if it is; raise ServiceError for any failure of the store."""
        with typed():
            try:
                yield
            except Unreadable as error:
                why = f"this server cannot read the game: {error}"
                self._set_aside(game_id, why)
                raise SetAside(game_id, why) from None

    def _set_aside(self, game_id: str, why: str) -> None:
        if game_id not in self.unreadable:
            logger.error("game %s is frozen: %s", game_id, why)
            self.unreadable[game_id] = why
            if len(self.unreadable) > MOST_ASIDE:
                self.unreadable.popitem(last=False)

    # -- eviction --------------------------------------------------------------------------------------

    @contextmanager
    def use(self, live: GameSession) -> Iterator[None]:
        """Keep a game in memory during the block."""
        game_id = live.hosted.head.game_id
        if self.games.get(game_id) is live:
            self._idle_bytes -= self._idle.pop(game_id, 0)
        live.users += 1
        try:
            yield
        finally:
            live.users -= 1
            if not live.users and self.games.get(game_id) is live:
                self._idle[game_id] = live.weight
                self._idle_bytes += live.weight
                self._make_room()

    def _make_room(self) -> None:
        while self._idle_bytes > IDLE_BYTES:
            self._unload(next(iter(self._idle)))

    def _unload(self, game_id: str) -> None:
        self._idle_bytes -= self._idle.pop(game_id)
        del self.games[game_id]


def replayed(head: Head, entries: Sequence[Entry]) -> HostedGame:
    """Replay the log of a game. Raises Unreadable, whose message reveals no hidden information."""
    try:
        hosted = HostedGame(head)
    except Exception as error:
        raise Unreadable(f"its first position cannot be read ({type(error).__name__})") from None
    return extended(hosted, entries)


def extended(hosted: HostedGame, entries: Sequence[Entry]) -> HostedGame:
    """Add entries of a log to a game, and return the game. Raises Unreadable."""
    for entry in entries:
        try:
            hosted.add(entry)
        except Exception as error:
            raise Unreadable(f"entry {hosted.version} does not fit the game ({type(error).__name__})") from None
    return hosted


@contextmanager
def typed() -> Iterator[None]:
    """Turn errors of the store into a ServiceError, DISK_FULL or STORE_FAILED, except Conflict."""
    try:
        yield
    except Conflict:
        raise
    except StoreFull:
        failures.error("the store is full")
        raise ServiceError(
            Reason.DISK_FULL,
            [("", "the server has no space left to store it; nothing was changed")],
        ) from None
    except StoreError as error:
        failures.error(str(error))
        text = "the server's store of games failed, and nobody saw a change; try again later (its log says why)"
        raise ServiceError(Reason.STORE_FAILED, [("", text)]) from None
