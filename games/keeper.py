"""The games that a server keeps: it lends them, changes them one step at a time, and moves in those that are due."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from clerestory.games.background import bounded, contained
from clerestory.games.bounds import CLOSING
from clerestory.games.cache import GameCache, typed
from clerestory.games.changes import Changes, summary_of
from clerestory.games.due import LOOK, DueGames
from clerestory.games.kept import ServerGame
from clerestory.games.live import Live
from clerestory.games.mover import Choose, Mover
from clerestory.games.quota import Limits, Quota
from clerestory.games.store import DAY, Key, News, Store, Tally
from clerestory.games.viewer import digest_of
from clerestory.refusals import Reason, Refusal

__all__ = ["Keeper", "Limits", "summary_of", "typed"]

COUNTED = 60.0  # seconds between two counts of what the store has
HEALTH = 1.0  # seconds between two looks at whether the store is alive
TIDIED = 3600.0  # seconds between two deletions of what nobody asks for any more
MANY_NAMES = 2000  # names of requests deleted in one transaction
AT_ONCE = 100  # games deleted in one transaction
NOTED = 3_600_000  # milliseconds for which it is not noted again that a game was asked for

logger = logging.getLogger(__name__)

T = TypeVar("T")
ReportHealth = Callable[[bool], Awaitable[None]]  # is told whether games can be played


class Keeper:
    """All games.

    Args:
        store: where they are kept.
        limits: of what callers may store; more is refused.
        choose: returns the move of a bot.
        most_bot_games: games of bots only in which it moves at a time.
        forget_after: days without a call after which games are deleted; 0 for never.
    """

    def __init__(
        self, store: Store, limits: Limits, choose: Choose, *, most_bot_games: int = 16, forget_after: float = 0.0
    ) -> None:
        self.store = store
        self.finishing = False
        self._forget_after = forget_after
        self.cache = GameCache(store)
        self._quota = Quota(store, limits)
        self._changes = Changes(store, self.cache, self._stored, self._doubt)
        mover = Mover(choose, self._changes, store.now, self.cache.turn)
        self._due = DueGames(store, self.cache, mover, most_bot_games)
        self._stale: set[str] = set()  # games in use of which the store may have more
        self._news = asyncio.Event()
        self._touched: set[str] = set()  # games that were asked for, of which the store is to be told
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def in_memory(self) -> int:
        """Number of games in memory."""
        return len(self.cache.games)

    @property
    def watchers(self) -> int:
        """Number of streams that watch games; from any thread."""
        return sum(len(live.watchers) for live in [*self.cache.games.values()])

    @property
    def unfinished(self) -> int:
        """Number of games that have not ended."""
        return self._quota.unfinished

    def overdue(self, *, bots_only: bool) -> int:
        """Return the number of games, with persons or of bots only, in which the server should have moved by now."""
        return self._due.overdue(bots_only=bots_only)

    @property
    def healthy(self) -> bool:
        """Whether games can be played: the store answers."""
        return self._due.healthy

    def now(self) -> int:
        """Return milliseconds since 1970 by the store's clock, which all servers of a store share."""
        return self.store.now()

    def seat_of(self, game_id: str, token: str) -> int | None:
        """Return the seat that a token belongs to in a game in memory, None if there is none."""
        live, digest = self.cache.games.get(game_id), digest_of(token)
        holders = enumerate(live.kept.seats) if live is not None else ()
        return next((seat for seat, holder in holders if holder.token == digest), None)

    # -- access to a game --------------------------------------------------------------------------

    @asynccontextmanager
    async def lend(self, game_id: str, *, asked: bool = True) -> AsyncIterator[Live]:
        """Lend the single instance of a game; `asked`: for a call about this game.

        Raises Refusal: NO_SUCH_GAME, STORE_FAILED, and SetAside for a game that cannot be read.
        """
        async with self.cache.lend(game_id) as live:
            if asked:
                self._touch(live)
            yield live

    def _touch(self, live: Live) -> None:
        """Note that a game was asked for, at most once an hour."""
        if self.now() - live.touched > NOTED:
            live.touched = self.now()
            self._touched.add(live.kept.head.game_id)

    # -- changes -----------------------------------------------------------------------------------

    async def create(self, kept: ServerGame, keys: Sequence[Key]) -> None:
        """Keep a new game.

        Raises Refusal: TOO_MANY_GAMES, DISK_FULL, STORE_FAILED; Conflict for a key that exists already.
        """
        async with self._quota.room(kept.head.maker):
            await self._changes.create(kept, keys)

    async def change(
        self,
        live: Live,
        act: Callable[[ServerGame], T],
        keys: Callable[[T], Sequence[Key]] = lambda _: (),
        *,
        owned: bool = False,
    ) -> tuple[T, ServerGame]:
        """Change a game: return the result of `act` and the changed game, which is stored.

        A write that fails may still have been stored, which everybody is then shown; other errors change nothing.

        Args:
            live: the game.
            act: adds entries to the copy of the game that it is given; an error that it raises undoes the change.
            keys: stored with the change, given the result of `act`.
            owned: only if this server still owns the game.

        Raises Refusal: DISK_FULL, STORE_FAILED; Conflict for a key that exists already, and for a game that this
        server no longer owns; and what `act` raises.
        """
        return await self._changes.change(live, act, keys, owned=owned)

    def _stored(self, before: ServerGame | None, kept: ServerGame) -> None:
        self._quota.count(before, kept)
        self._due.note(kept)

    def _doubt(self, game_id: str) -> None:
        """React to a game of which a write has failed, so far as is known."""
        self._due.bar(game_id)
        self._refresh(game_id)

    # -- in the background -------------------------------------------------------------------------

    def resume(self, report: ReportHealth | None = None) -> None:
        """Begin to move in games, to listen to other servers, and to report whether games can be played."""
        self.store.listen(self._hear)
        works = [self._due.run(self._refresh), self._catch_up(), self._count(), self._tidy()]
        if report is not None:
            works.append(self._watch_health(report))
        self._tasks += [asyncio.create_task(work) for work in works]

    def _hear(self, news: News) -> None:
        """React to what another server has stored, or this one by a write that was reported as failed."""
        if news.maker:
            self._quota.add(news.maker, Tally(1, 1))
        elif not news.game_id:
            self._refresh()
        else:
            if news.mine and news.due:
                self._due.note_news(news.game_id)
            if (live := self.cache.games.get(news.game_id)) is not None and live.users:
                self._refresh(news.game_id)

    def _refresh(self, *game_ids: str) -> None:
        """Load what the store has more of games, of all that somebody uses by default."""
        used = (game_id for game_id, live in self.cache.games.items() if live.users)
        self._stale.update(game_ids or used)
        self._news.set()

    async def _catch_up(self) -> None:
        """Load news of games until cancelled; what fails is tried again."""
        while True:
            await self._news.wait()
            self._news.clear()
            stale, self._stale = self._stale, set()
            failed = [game_id for game_id in stale if not await self._caught_up(game_id)]
            if failed:
                await asyncio.sleep(LOOK)
                self._refresh(*failed)

    async def _caught_up(self, game_id: str) -> bool:
        """Load news of a game; return whether that need not be tried again."""
        try:
            async with self.cache.lend(game_id):
                await asyncio.sleep(0)  # let other calls run
        except Refusal as error:
            return error.reason != Reason.STORE_FAILED
        except Exception:
            logger.exception("what is new in game %s could not be loaded", game_id)
        return True

    async def _count(self) -> None:
        """Count what the store has, and tell it which games were asked for, until cancelled."""
        while True:
            with contained("counting the games"):
                await self._quota.read()
            with contained("storing when games were last asked for"):
                await self._tell_touched()
            await asyncio.sleep(COUNTED)

    async def _tell_touched(self) -> None:
        asked, self._touched = self._touched, set()
        try:
            if asked:
                await self.store.touch([*asked], self.now())
        except BaseException:
            self._touched |= asked
            raise

    async def _tidy(self) -> None:
        """Delete old names of requests, and games that nobody has asked for in so many days, until cancelled."""
        while True:
            with contained("deleting old request ids"):
                while await self.store.forget_requests(self.now() - DAY, MANY_NAMES) == MANY_NAMES:
                    pass
            await asyncio.sleep(TIDIED)
            with contained("deleting old games"):
                if self._forget_after:
                    await self._delete()

    async def _delete(self) -> None:
        while True:
            self._touched |= {game_id for game_id, live in self.cache.games.items() if live.watchers}
            await self._tell_touched()
            before = self.now() - int(self._forget_after * DAY) - NOTED
            found = await self.store.delete_untouched(before, AT_ONCE)
            self.cache.drop(found)
            if not found:
                break
        await self._quota.read()

    async def _watch_health(self, report: ReportHealth) -> None:
        """Report whether games can be played whenever that changes, until cancelled."""
        reported = True
        while True:
            await asyncio.sleep(HEALTH)
            if self.healthy != reported:
                reported = not reported
                with contained("reporting health"):
                    await report(reported)

    # -- the end -----------------------------------------------------------------------------------

    async def finish(self, within: float = CLOSING) -> None:
        """End all streams, stop moving, and finish writing to the store, waiting at most so many seconds."""
        self.finishing = True
        for task in self._tasks:
            task.cancel()
        for live in self.cache.games.values():
            live.wake()
        await bounded(asyncio.gather(self._due.finish(within), self._changes.finish(within)), within)

    async def close(self, within: float = CLOSING) -> None:
        """Close the store, waiting at most so many seconds."""
        if not self.finishing:
            await self.finish(within / 2)
            within /= 2
        with contained("storing when games were last asked for"):
            await bounded(self._tell_touched(), within / 4)
        with contained("closing the store"):
            await bounded(self.store.close(within * 3 / 4), within * 3 / 4)
