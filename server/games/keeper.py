"""The games in memory: each is loaded once, changed by one task at a time, and shown only after it has been stored."""

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from clerestory.server.errors import CallError, Reason, SetAside, refuse
from clerestory.server.games.kept import ServerGame
from clerestory.server.games.live import Live
from clerestory.server.games.log import Onlookers
from clerestory.server.games.store import Batch, Conflict, Key, News, Store, StoreError, StoreFull, Summary, Unreadable
from clerestory.server.games.tokens import GAME_ID
from clerestory.server.games.viewer import digest_of

LOOK = 2.0  # seconds between checks for games whose server has died, where several share a store
MANY = 1000  # most of them taken over at once
IN_MEMORY = 1024  # idle games kept in memory; beyond that the least recently used are unloaded

logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """How many unfinished games there may be.

    Attributes:
        games: of all callers.
        each: created by one caller.
    """

    games: int
    each: int


class Keeper:
    """All games.

    Args:
        store: where they are kept.
        limits: of unfinished games; further ones are refused.
        moving: returns the task that moves in a game in which the server has to move, now or later.
    """

    def __init__(
        self, store: Store, limits: Limits, moving: Callable[["Keeper", Live], Coroutine[Any, Any, None]]
    ) -> None:
        self.store = store
        self.finishing = False
        self._limits = limits
        self._unfinished = Counter(store.unfinished)
        self._moving = moving
        self._games: OrderedDict[str, Live] = OrderedDict()
        self._reading: dict[str, asyncio.Task[ServerGame]] = {}
        self._changes: set[asyncio.Task[Any]] = set()
        self._resuming: asyncio.Task[None] | None = None

    def now(self) -> int:
        """Return milliseconds since 1970 by the store's clock, which all servers of a store share."""
        return self.store.now()

    @property
    def in_memory(self) -> int:
        """Number of games in memory."""
        return len(self._games)

    @property
    def watchers(self) -> int:
        """Number of streams that watch games."""
        return sum(len(live.watching) for live in self._games.values())

    @property
    def unfinished(self) -> int:
        """Number of games that have not ended."""
        return self._unfinished.total()

    def seat_of(self, game_id: str, token: str) -> int | None:
        """Return the seat that a token belongs to in a game in memory, None if there is none."""
        live, digest = self._games.get(game_id), digest_of(token)
        holders = enumerate(live.kept.seats) if live is not None else ()
        return next((seat for seat, holder in holders if holder.token == digest), None)

    # -- access to a game --------------------------------------------------------------------------

    @asynccontextmanager
    async def lend(self, game_id: str) -> AsyncIterator[Live]:
        """Lend the single instance of a game. Raises CallError: NO_SUCH_GAME, STORE_FAILED."""
        if game_id not in self._games:
            kept = await self._read(game_id)
            self._games.setdefault(game_id, Live(kept, self.now()))
        with self._use(self._games[game_id]) as live:
            if self.store.shared:
                await self._catch_up(live)
            yield live

    async def _catch_up(self, live: Live) -> None:
        """Load what other servers have stored."""
        async with live.lock:
            with typed():
                later = await self.store.later(live.kept.head.game_id, live.kept.version)
            if later:
                kept = live.kept.copy()
                for entry in later:
                    kept.add(entry)
                live.become(kept)

    @contextmanager
    def _use(self, live: Live) -> Iterator[Live]:
        self._games.move_to_end(live.kept.head.game_id)
        live.users += 1
        try:
            yield live
        finally:
            live.users -= 1
            self._put_to_sleep()

    async def _read(self, game_id: str) -> ServerGame:
        """Load a game, once for all concurrent requests."""
        if game_id not in self._reading:
            task = self._reading[game_id] = asyncio.create_task(self._load(game_id))
            task.add_done_callback(lambda _: self._reading.pop(game_id))
        return await asyncio.shield(self._reading[game_id])

    async def _load(self, game_id: str) -> ServerGame:
        found = None
        if GAME_ID.fullmatch(game_id):
            with typed():
                try:
                    found = await self.store.load(game_id)
                except Unreadable as error:
                    raise SetAside(game_id, str(error)) from None
        if found is None:
            refuse(Reason.NO_SUCH_GAME, "game_id", f"{game_id[:40]!r} is not a game of this server")
        return ServerGame(*found)

    def _put_to_sleep(self) -> None:
        """Unload the least recently used of the games that nobody uses and in which nothing is due."""
        spare = len(self._games) - IN_MEMORY
        if spare > 0:
            for game_id in [name for name, live in self._games.items() if live.asleep][:spare]:
                del self._games[game_id]

    # -- changes -----------------------------------------------------------------------------------

    async def create(self, kept: ServerGame, keys: Sequence[Key]) -> None:
        """Keep a new game.

        Raises CallError: TOO_MANY_GAMES, DISK_FULL, STORE_FAILED; Conflict for a key that exists already.
        """
        if self.store.shared:
            with typed():
                self._unfinished = Counter(await self.store.count_unfinished())
        own = self._unfinished[kept.head.maker]
        require_room(
            "max_games_each", own, self._limits.each, "of your games have not ended; a caller may have no more"
        )
        require_room("max_games", self.unfinished, self._limits.games, "games have not ended; the server keeps no more")
        await self._whole(self._create(kept, keys))

    async def _create(self, kept: ServerGame, keys: Sequence[Key]) -> None:
        with typed():
            await self.store.create(kept.head, Batch(kept.entries, summary_of(kept), keys))
        self._unfinished[kept.head.maker] += not kept.over
        live = self._games[kept.head.game_id] = Live(kept)
        self.move(live)
        self._put_to_sleep()

    async def change(
        self,
        live: Live,
        act: Callable[[ServerGame], T],
        keys: Callable[[T], Sequence[Key]] = lambda _: (),
        *,
        owned: bool = False,
    ) -> tuple[T, ServerGame]:
        """Change a game: return the result of `act` and the changed game. Either it is stored, or nothing has happened.

        Args:
            live: the game.
            act: adds entries to the copy of the game that it is given; an error that it raises undoes the change.
            keys: stored with the change, given the result of `act`.
            owned: only if this server still owns the game.

        Raises CallError: DISK_FULL, STORE_FAILED; Conflict for a key that exists already, and for a game that this
        server no longer owns; and what `act` raises.
        """
        return await self._whole(self._change(live, act, keys, owned))

    async def _change(
        self, live: Live, act: Callable[[ServerGame], T], keys: Callable[[T], Sequence[Key]], owned: bool
    ) -> tuple[T, ServerGame]:
        async with live.lock:
            while True:
                before, plan = live.kept.version, live.kept.copy()
                result = act(plan)
                if plan.version == before:
                    return result, plan
                try:
                    with typed():
                        await self._append(live, plan, keys(result), owned)
                    break
                except Conflict:
                    if live.kept.version == before:
                        raise  # otherwise another change was stored first, and `act` must see it
            self._unfinished[plan.head.maker] += live.kept.over - plan.over
            self._unfinished += Counter()  # drop callers with none
            live.become(plan)
            self.move(live)
            return result, plan

    async def _append(self, live: Live, plan: ServerGame, keys: Sequence[Key], owned: bool) -> None:
        game_id, version = plan.head.game_id, live.kept.version
        try:
            batch = Batch(plan.entries[version:], summary_of(plan), keys)
            await self.store.append(game_id, version, batch, owned=owned)
        except Conflict:  # a key exists, or a write reported as failed had succeeded
            found = await self.store.load(game_id)
            if found is not None and len(found[1]) > version:
                live.become(ServerGame(*found))
            raise

    async def _whole(self, change: Coroutine[Any, Any, T]) -> T:
        """Run a change to completion, even if its caller leaves."""
        task = asyncio.create_task(change)
        self._changes.add(task)
        task.add_done_callback(self._changes.discard)
        return await asyncio.shield(task)

    # -- moves of the server -----------------------------------------------------------------------

    def resume(self) -> None:
        """Resume the games in which the server has to move, and start listening to other servers."""
        self.store.listen(self._hear)
        self._resuming = asyncio.create_task(self._resume())
        self._resuming.add_done_callback(self._end)

    async def _resume(self) -> None:
        """Take over the games in which no server moves, one after the other."""
        while not self.finishing:
            found: list[str] = []
            try:
                found = await self.store.adopt(MANY if self.store.shared else self._limits.games)
                for game_id in found:
                    await self._wake_up(game_id)
                    await asyncio.sleep(0)  # let other calls run
            except (StoreError, CallError) as error:
                logger.error("games are stuck: %s", error)
            if not self.store.shared:
                return
            await asyncio.sleep(LOOK if len(found) < MANY else 0)

    async def _wake_up(self, game_id: str) -> None:
        if not self.finishing:
            async with self.lend(game_id) as live:
                self.move(live)

    def _hear(self, news: News) -> None:
        """React to what another server has stored."""
        if news.maker:
            self._unfinished[news.maker] += 1
            return
        if not news.game_id:
            for game_id, live in self._games.items():
                if not live.asleep:
                    self._begin(self._wake_up(game_id))
            return
        known = self._games.get(news.game_id)
        if (news.mine and news.due) or (known is not None and (known.watching or known.mover)):
            self._begin(self._wake_up(news.game_id))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something in the background; `finish` waits for it."""
        task = asyncio.create_task(work)
        self._changes.add(task)
        task.add_done_callback(self._end)

    def _end(self, task: "asyncio.Task[None]") -> None:
        self._changes.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.error("a game is stuck", exc_info=task.exception())

    def move(self, live: Live) -> None:
        """Make sure that a task moves in a game in which a server has to."""
        kept = live.kept
        if live.mover is None and not self.finishing and (kept.mover is not None or kept.deadline is not None):
            live.mover = asyncio.create_task(self._move(live))
            live.mover.add_done_callback(lambda task: self._rest(live, task))

    async def _move(self, live: Live) -> bool:
        """Move in a game unless another server owns it; return whether this one does."""
        if mine := await self._own(live):
            await self._moving(self, live)
        return mine

    async def _own(self, live: Live) -> bool:
        while True:
            try:
                return await self.store.own(live.kept.head.game_id)
            except StoreError as error:
                logger.error("game %s is waiting: %s", live.kept.head.game_id, error)
                await asyncio.sleep(LOOK)

    def _rest(self, live: Live, task: "asyncio.Task[bool]") -> None:
        live.mover = None
        if task.cancelled():
            return
        if task.exception() is not None:
            logger.error("game %s is stuck", live.kept.head.game_id, exc_info=task.exception())
        elif task.result():
            self.move(live)  # something may have become due while it ended

    async def finish(self) -> None:
        """End all streams, stop moving, and finish writing to the store."""
        self.finishing = True
        movers = [live.mover for live in self._games.values() if live.mover is not None]
        for task in (*movers, *filter(None, (self._resuming,))):
            task.cancel()
        for live in self._games.values():
            live.wake()
        await asyncio.gather(*movers, *self._changes, return_exceptions=True)

    async def close(self) -> None:
        """Close the store."""
        await self.finish()
        await self.store.close()


def require_room(limit: str, there: int, most: int, words: str) -> None:
    """Raise CallError, TOO_MANY_GAMES with the name and value of the limit, if the limit is reached."""
    if there >= most:
        raise CallError(Reason.TOO_MANY_GAMES, [("", f"{there} {words}")], metadata={"limit": limit, "most": str(most)})


@contextmanager
def typed() -> Iterator[None]:
    """Turn errors of the store into a CallError: DISK_FULL, STORE_FAILED. A Conflict passes unchanged."""
    try:
        yield
    except Conflict:
        raise
    except StoreFull:
        logger.error("the store is full")
        raise CallError(Reason.DISK_FULL, [("", "there is no space to store it; nothing was done")]) from None
    except StoreError as error:
        logger.error("%s", error)
        text = "the store failed, and nothing was sent out; the server's log says why"
        raise CallError(Reason.STORE_FAILED, [("", text)]) from None


def summary_of(kept: ServerGame) -> Summary:
    """Return the columns by which the store finds games."""
    status = "over" if kept.over else "open" if kept.waiting else "running"
    shown = kept.head.options.onlookers == Onlookers.ALL or (kept.waiting and kept.head.options.listed)
    due = kept.since if kept.mover is not None else None if kept.deadline is None else int(kept.deadline)
    return Summary(status, shown, due, kept.bots_only)
