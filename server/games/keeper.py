"""The games in memory: each is read once, changed by one at a time, and told of only once what happened is stored."""

import asyncio
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from clerestory.server.errors import CallError, Reason, refuse
from clerestory.server.games.kept import Kept
from clerestory.server.games.live import Live
from clerestory.server.games.log import Onlookers
from clerestory.server.games.store import Conflict, Key, News, Store, StoreError, StoreFull, Summary
from clerestory.server.games.viewer import digest_of

LOOK = 2.0  # seconds between looks for games whose server has gone, where several share a store
MANY = 1000  # of them taken at once
IN_MEMORY = 1024  # games that nobody looks at and nothing is to be done for, beyond which the oldest are put to sleep

logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """How many games there may be that have not ended.

    Attributes:
        games: of all callers.
        each: that one caller has made.
    """

    games: int
    each: int


class Keeper:
    """All games.

    Args:
        store: where they are kept.
        limits: of games that have not ended; one more is refused.
        moving: returns the task of a game in which the server has to move, now or later.
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
        self._reading: dict[str, asyncio.Task[Kept]] = {}
        self._changes: set[asyncio.Task[Any]] = set()
        self._resuming: asyncio.Task[None] | None = None

    @property
    def in_memory(self) -> int:
        """Number of games in memory."""
        return len(self._games)

    @property
    def watchers(self) -> int:
        """Number of streams that show games."""
        return sum(len(live.watching) for live in self._games.values())

    @property
    def unfinished(self) -> int:
        """Number of games that have not ended."""
        return self._unfinished.total()

    def seat_of(self, game_id: str, token: str) -> int | None:
        """Return the seat of a game in memory that a token belongs to, None for none."""
        live, digest = self._games.get(game_id), digest_of(token)
        holders = enumerate(live.kept.seats) if live is not None else ()
        return next((seat for seat, holder in holders if holder.token == digest), None)

    # -- having a game -----------------------------------------------------------------------------

    @asynccontextmanager
    async def lend(self, game_id: str) -> AsyncIterator[Live]:
        """Lend a game, so that there is but one of it. Raises CallError: NO_SUCH_GAME, STORE_FAILED."""
        if game_id not in self._games:
            kept = await self._read(game_id)
            self._games.setdefault(game_id, Live(kept, now()))
        with self._use(self._games[game_id]) as live:
            if self.store.shared:
                await self._catch_up(live)
            yield live

    async def _catch_up(self, live: Live) -> None:
        """Take in what other servers have stored."""
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

    async def _read(self, game_id: str) -> Kept:
        """Read a game, once for all who ask for it meanwhile."""
        if game_id not in self._reading:
            task = self._reading[game_id] = asyncio.create_task(self._load(game_id))
            task.add_done_callback(lambda _: self._reading.pop(game_id))
        return await asyncio.shield(self._reading[game_id])

    async def _load(self, game_id: str) -> Kept:
        with typed():
            found = await self.store.load(game_id)
        if found is None:
            refuse(Reason.NO_SUCH_GAME, "game_id", f"{game_id[:40]!r} is no game of this server")
        return Kept(*found)

    def _put_to_sleep(self) -> None:
        """Forget the games used longest ago that nobody has and that have nothing to do."""
        spare = len(self._games) - IN_MEMORY
        if spare > 0:
            for game_id in [name for name, live in self._games.items() if live.asleep][:spare]:
                del self._games[game_id]

    # -- changing it -------------------------------------------------------------------------------

    async def create(self, kept: Kept, keys: Sequence[Key]) -> None:
        """Keep a new game.

        Raises CallError: TOO_MANY_GAMES, DISK_FULL, STORE_FAILED; Conflict for a key that is there.
        """
        if self.store.shared:
            with typed():
                self._unfinished = Counter(await self.store.count_unfinished())
        own = self._unfinished[kept.head.maker]
        require_room(
            "max_games_each", own, self._limits.each, "games of yours have not ended; a caller may have no more"
        )
        require_room("max_games", self.unfinished, self._limits.games, "games have not ended; the server keeps no more")
        await self._whole(self._create(kept, keys))

    async def _create(self, kept: Kept, keys: Sequence[Key]) -> None:
        with typed():
            await self.store.create(kept.head, kept.entries, summary_of(kept), keys)
        self._unfinished[kept.head.maker] += not kept.over
        live = self._games[kept.head.game_id] = Live(kept)
        self.move(live)

    async def change(
        self,
        live: Live,
        act: Callable[[Kept], T],
        keys: Callable[[T], Sequence[Key]] = lambda _: (),
        *,
        owned: bool = False,
    ) -> tuple[T, Kept]:
        """Let something happen: return what `act` does, and the game then. It is stored, or nothing has happened.

        Args:
            live: the game.
            act: adds to the copy of a game that it is given; what it raises undoes it.
            keys: that are stored with it, by what `act` returns.
            owned: only while the game is this server's.

        Raises CallError: DISK_FULL, STORE_FAILED; Conflict for a key that is there, and for a game that is no longer
        this server's; and what `act` raises.
        """
        return await self._whole(self._change(live, act, keys, owned))

    async def _change(
        self, live: Live, act: Callable[[Kept], T], keys: Callable[[T], Sequence[Key]], owned: bool
    ) -> tuple[T, Kept]:
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
                        raise  # else something else was stored before, which `act` is to see
            self._unfinished[plan.head.maker] += live.kept.over - plan.over
            self._unfinished += Counter()  # forget those who have none
            live.become(plan)
            self.move(live)
            return result, plan

    async def _append(self, live: Live, plan: Kept, keys: Sequence[Key], owned: bool) -> None:
        game_id, version = plan.head.game_id, live.kept.version
        try:
            await self.store.append(game_id, version, plan.entries[version:], summary_of(plan), keys, owned=owned)
        except Conflict:  # a key that is there; or an earlier failure was none, and there is more than was thought
            found = await self.store.load(game_id)
            if found is not None and len(found[1]) > version:
                live.become(Kept(*found))
            raise

    async def _whole(self, change: Coroutine[Any, Any, T]) -> T:
        """Do something to its end, even if its caller leaves."""
        task = asyncio.create_task(change)
        self._changes.add(task)
        task.add_done_callback(self._changes.discard)
        return await asyncio.shield(task)

    # -- moving in it ------------------------------------------------------------------------------

    def resume(self) -> None:
        """Go on with the games in which the server has to move, and see what other servers do."""
        self.store.listen(self._hear)
        self._resuming = asyncio.create_task(self._resume())
        self._resuming.add_done_callback(self._end)

    async def _resume(self) -> None:
        """Take the games in which no server moves, one after the other."""
        while not self.finishing:
            found: list[str] = []
            try:
                found = await self.store.adopt(MANY if self.store.shared else self._limits.games)
                for game_id in found:
                    await self._wake_up(game_id)
                    await asyncio.sleep(0)  # calls come between
            except (StoreError, CallError) as error:
                logger.error("games stand still: %s", error)
            if not self.store.shared:
                return
            await asyncio.sleep(LOOK if len(found) < MANY else 0)

    async def _wake_up(self, game_id: str) -> None:
        if not self.finishing:
            async with self.lend(game_id) as live:
                self.move(live)

    def _hear(self, news: News) -> None:
        """See to what another server has stored."""
        if not news.game_id:
            for game_id, live in self._games.items():
                if not live.asleep:
                    self._begin(self._wake_up(game_id))
            return
        known = self._games.get(news.game_id)
        if (news.mine and news.due) or (known is not None and (known.watching or known.mover)):
            self._begin(self._wake_up(news.game_id))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside all else; `finish` waits for it."""
        task = asyncio.create_task(work)
        self._changes.add(task)
        task.add_done_callback(self._end)

    def _end(self, task: "asyncio.Task[None]") -> None:
        self._changes.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.error("a game stands still", exc_info=task.exception())

    def move(self, live: Live) -> None:
        """See that somebody moves where a server has to."""
        kept = live.kept
        if live.mover is None and not self.finishing and (kept.mover is not None or kept.deadline is not None):
            live.mover = asyncio.create_task(self._move(live))
            live.mover.add_done_callback(lambda task: self._rest(live, task))

    async def _move(self, live: Live) -> bool:
        """Move in a game, unless it is another server's; return whether it is this one's."""
        if mine := await self._own(live):
            await self._moving(self, live)
        return mine

    async def _own(self, live: Live) -> bool:
        while True:
            try:
                return await self.store.own(live.kept.head.game_id)
            except StoreError as error:
                logger.error("game %s waits: %s", live.kept.head.game_id, error)
                await asyncio.sleep(LOOK)

    def _rest(self, live: Live, task: "asyncio.Task[bool]") -> None:
        live.mover = None
        if task.cancelled():
            return
        if task.exception() is not None:
            logger.error("game %s stands still", live.kept.head.game_id, exc_info=task.exception())
        elif task.result():
            self.move(live)  # something may have become due as it ended

    async def finish(self) -> None:
        """End all streams, move no more, and finish what is being stored."""
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


def now() -> int:
    """Return milliseconds since 1970."""
    return int(1000 * time.time())


def require_room(limit: str, there: int, most: int, words: str) -> None:
    """Raise CallError, TOO_MANY_GAMES, which tells the limit by its name and its value, where nothing is left of it."""
    if there >= most:
        raise CallError(Reason.TOO_MANY_GAMES, [("", f"{there} {words}")], metadata={"limit": limit, "most": str(most)})


@contextmanager
def typed() -> Iterator[None]:
    """Raise what the store raises as a CallError: DISK_FULL, STORE_FAILED. A conflict goes through as it is."""
    try:
        yield
    except Conflict:
        raise
    except StoreFull:
        logger.error("the store is full")
        raise CallError(Reason.DISK_FULL, [("", "there is no room to store it; nothing was done")]) from None
    except StoreError as error:
        logger.error("%s", error)
        text = "the store failed, and nothing was told; the server's log says why"
        raise CallError(Reason.STORE_FAILED, [("", text)]) from None


def summary_of(kept: Kept) -> Summary:
    """Return what is looked for in the store."""
    status = "over" if kept.over else "open" if kept.waiting else "running"
    shown = kept.head.options.onlookers == Onlookers.ALL or (kept.waiting and kept.head.options.listed)
    due = 0 if kept.mover is not None else None if kept.deadline is None else int(kept.deadline)
    return Summary(status, shown, due)
