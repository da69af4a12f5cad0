"""The games in memory: each is read once, changed by one at a time, and told of only once what happened is stored."""

import asyncio
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from clerestory.server.errors import CallError, Reason, refuse
from clerestory.server.games.kept import Kept
from clerestory.server.games.log import Onlookers
from clerestory.server.games.store import Conflict, Key, Store, StoreError, StoreFull, Summary, Wanted
from clerestory.server.games.viewer import Viewer, digest_of

IN_MEMORY = 1024  # games that nobody looks at and nothing is to be done for, beyond which the oldest are put to sleep

logger = logging.getLogger(__name__)

T = TypeVar("T")


class Live:
    """A game in memory.

    Attributes:
        kept: as it is stored; a new one takes its place when something happens.
        steps: the game before and after each of the entries that were stored last, by version.
        frames: what has been made of it to be shown, forgotten when something happens.
        changed: set when something happens; another one then takes its place.
        users: those who have it.
        watching: those of them who watch it, by what is set when they have something to see.
        mover: the task that moves in it, None while nothing is due.
        found: when it was read from the store, in milliseconds since 1970; 0 for a game made since.
    """

    def __init__(self, kept: Kept, found: int = 0) -> None:
        self.kept = kept
        self.found = found
        self.steps: dict[int, Kept] = {}
        self.frames: dict[Hashable, Any] = {}
        self.changed = asyncio.Event()
        self.lock = asyncio.Lock()
        self.users = 0
        self.watching: dict[asyncio.Event, Viewer] = {}
        self.mover: asyncio.Task[None] | None = None

    @property
    def asleep(self) -> bool:
        """Whether nobody has it, and nothing is to be done."""
        return not self.users and self.mover is None

    def at(self, version: int) -> Kept:
        """Return the game as it was at a version."""
        return self.steps.get(version) or self.kept.at(version)

    def become(self, kept: Kept) -> None:
        """Take in what is stored by now, and wake up those who wait for it."""
        step, self.steps = self.kept, {self.kept.version: self.kept}
        for entry in kept.entries[self.kept.version :]:
            step = step.copy()
            step.add(entry)
            self.steps[step.version] = step
        self.kept = kept
        self.frames.clear()
        self.wake()

    def wake(self) -> None:
        """Let those who wait look."""
        self.changed.set()
        self.changed = asyncio.Event()
        self._tell()

    @contextmanager
    def watched_by(self, viewer: Viewer) -> Iterator[asyncio.Event]:
        """Count somebody among those who watch; yield what is set whenever there is something to see."""
        news = asyncio.Event()
        self.watching[news] = viewer
        self._tell()
        try:
            yield news
        finally:
            del self.watching[news]
            self._tell()

    def _tell(self) -> None:
        for news in self.watching:
            news.set()


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
            yield live

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
        self, live: Live, act: Callable[[Kept], T], keys: Callable[[T], Sequence[Key]] = lambda _: ()
    ) -> tuple[T, Kept]:
        """Let something happen: return what `act` does, and the game then. It is stored, or nothing has happened.

        Args:
            live: the game.
            act: adds to the copy of a game that it is given; what it raises undoes it.
            keys: that are stored with it, by what `act` returns.

        Raises CallError: DISK_FULL, STORE_FAILED; Conflict for a key that is there; and what `act` raises.
        """
        return await self._whole(self._change(live, act, keys))

    async def _change(self, live: Live, act: Callable[[Kept], T], keys: Callable[[T], Sequence[Key]]) -> tuple[T, Kept]:
        async with live.lock:
            plan = live.kept.copy()
            result = act(plan)
            if plan.version == live.kept.version:
                return result, plan
            with typed():
                await self._append(live, plan, keys(result))
            self._unfinished[plan.head.maker] += live.kept.over - plan.over
            self._unfinished += Counter()  # forget those who have none
            live.become(plan)
            self.move(live)
            return result, plan

    async def _append(self, live: Live, plan: Kept, keys: Sequence[Key]) -> None:
        game_id, version = plan.head.game_id, live.kept.version
        try:
            await self.store.append(game_id, version, plan.entries[version:], summary_of(plan), keys)
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
        """Go on with the games in which the server has to move, one after the other."""
        task = asyncio.create_task(self._resume())
        self._changes.add(task)
        task.add_done_callback(self._changes.discard)

    async def _resume(self) -> None:
        for game_id, _ in await self.store.select(Wanted(limit=self._limits.games, due=True)):
            if self.finishing:
                return
            async with self.lend(game_id) as live:
                self.move(live)
            await asyncio.sleep(0)  # calls come between

    def move(self, live: Live) -> None:
        """See that somebody moves where the server has to."""
        kept = live.kept
        if live.mover is None and not self.finishing and (kept.mover is not None or kept.deadline is not None):
            live.mover = asyncio.create_task(self._moving(self, live))
            live.mover.add_done_callback(lambda task: self._rest(live, task))

    def _rest(self, live: Live, task: "asyncio.Task[None]") -> None:
        live.mover = None
        if not task.cancelled() and task.exception() is not None:
            logger.error("game %s stands still", live.kept.head.game_id, exc_info=task.exception())
        elif not task.cancelled():
            self.move(live)  # something may have become due as it ended

    async def finish(self) -> None:
        """End all streams, move no more, and finish what is being stored."""
        self.finishing = True
        movers = [live.mover for live in self._games.values() if live.mover is not None]
        for task in movers:
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
