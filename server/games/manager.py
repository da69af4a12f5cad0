"""The game manager: loads hosted games, applies changes one at a time, and runs automatic moves."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from clerestory.server.games.auto_player import AutoPlayer, Choose
from clerestory.server.games.background import bounded, contained
from clerestory.server.games.bounds import CLOSING
from clerestory.server.games.cache import GameCache, typed
from clerestory.server.games.changes import Changes, summary_of
from clerestory.server.games.commands import give_back
from clerestory.server.games.due import SCAN_INTERVAL_S, DueGames
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.notices import Holds, TurnNotice, TurnNotices
from clerestory.server.games.quota import Limits, Quota
from clerestory.server.games.session import GameSession
from clerestory.server.games.store import DAY, Key, News, Store, Tally
from clerestory.server.games.viewer import digest_of
from clerestory.service_errors import Reason, ServiceError

__all__ = ["GameManager", "Limits", "summary_of", "typed"]

STORE_COUNT_INTERVAL_S = 60.0  # seconds between two counts of the store's contents
HEALTH_CHECK_INTERVAL_S = 1.0  # seconds between two health checks of the store
ANNOUNCE_INTERVAL_S = 60.0  # seconds between two searches for notices of servers that have ended
CLEANUP_INTERVAL_S = 3600.0  # seconds between two cleanups of expired data
NAME_DELETE_BATCH = 2000  # request names deleted in one transaction
DELETE_BATCH = 100  # games deleted in one transaction
TOUCH_INTERVAL_MS = 3_600_000  # minimum milliseconds between two updates of a game's last access

logger = logging.getLogger(__name__)

T = TypeVar("T")
ReportHealth = Callable[[bool], Awaitable[None]]  # called with whether games are playable


class GameManager:
    """The manager of all hosted games.

    Args:
        store: the store of games.
        limits: limits on what callers may store.
        choose: returns the move of a bot.
        most_bot_games: maximum concurrent games of bots only.
        forget_after: days without access after which games are deleted; 0 for never.
        notices: returns what announces turns; None to announce none.
    """

    def __init__(
        self,
        store: Store,
        limits: Limits,
        choose: Choose,
        *,
        most_bot_games: int = 16,
        forget_after: float = 0.0,
        notices: Callable[[Holds], TurnNotices] | None = None,
    ) -> None:
        self.store = store
        self._notices = None if notices is None else notices(self._holds)
        self.finishing = False
        self._forget_after = forget_after
        self.cache = GameCache(store)
        self._quota = Quota(store, limits)
        self._changes = Changes(store, self.cache, self._stored, self._doubt)
        mover = AutoPlayer(choose, self._changes, store.now, self.cache.turn, self.give_back)
        self._due = DueGames(store, self.cache, mover, most_bot_games)
        # By ID, games before and after failed writes, one of which may have been stored nevertheless.
        self._doubted: dict[str, list[tuple[HostedGame | None, HostedGame]]] = {}
        self._stale: set[str] = set()  # games in use that the store may have changed
        self._news = asyncio.Event()
        self._touched: set[str] = set()  # games whose last access has not been stored yet
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def in_memory(self) -> int:
        """The number of games in memory."""
        return len(self.cache.games)

    @property
    def watchers(self) -> int:
        """The number of streams that watch games. Thread-safe."""
        return sum(len(live.watchers) for live in [*self.cache.games.values()])

    @property
    def unfinished(self) -> int:
        """The number of unfinished games."""
        return self._quota.unfinished

    def overdue(self, *, bots_only: bool) -> int:
        """Return the number of games, with persons or of bots only, in which the server is late to move."""
        return self._due.overdue(bots_only=bots_only)

    @property
    def healthy(self) -> bool:
        """Whether games are playable: the store responds."""
        return self._due.healthy

    def now(self) -> int:
        """Return milliseconds since 1970 by the store's clock, which all servers of a store share."""
        return self.store.now()

    def seat_of(self, game_id: str, token: str) -> int | None:
        """Return the seat of a token in a game in memory; None if there is none."""
        live, digest = self.cache.games.get(game_id), digest_of(token)
        holders = enumerate(live.hosted.seats) if live is not None else ()
        return next((seat for seat, holder in holders if holder.token == digest), None)

    # -- access to a game --------------------------------------------------------------------------

    @asynccontextmanager
    async def lend(self, game_id: str, *, asked: bool = True) -> AsyncIterator[GameSession]:
        """Lend the single instance of a game; `asked` records the access, for a call about this game.

        Raises ServiceError: NO_SUCH_GAME, STORE_FAILED; SetAside for an unreadable game.
        """
        async with self.cache.lend(game_id) as live:
            if asked:
                self._touch(live)
            yield live

    def _touch(self, live: GameSession) -> None:
        """Record the access to a game, at most once an hour."""
        if self.now() - live.touched > TOUCH_INTERVAL_MS:
            live.touched = self.now()
            self._touched.add(live.hosted.head.game_id)

    # -- changes -----------------------------------------------------------------------------------

    async def create(self, hosted: HostedGame, keys: Sequence[Key]) -> None:
        """Store a new game.

        Raises ServiceError: TOO_MANY_GAMES, DISK_FULL, STORE_FAILED; Conflict for an existing key.
        """
        async with self._quota.room(hosted.head.maker):
            await self._changes.create(hosted, keys)

    async def change(
        self,
        live: GameSession,
        act: Callable[[HostedGame], T],
        keys: Callable[[T], Sequence[Key]] = lambda _: (),
        *,
        owned: bool = False,
    ) -> tuple[T, HostedGame]:
        """Change and store a game; return the result of `act` and the changed game.

        A failed write may still have been stored, and is then shown to everyone; other errors change nothing.

        Args:
            live: the game.
            act: adds entries to the given copy of the game; an error that it raises undoes the change.
            keys: returns the keys to store with the change, given the result of `act`.
            owned: whether to fail unless this server owns the game.

        Raises ServiceError: DISK_FULL, STORE_FAILED; Conflict for an existing key, or if the server does not own the
        game; and the errors of `act`.
        """
        return await self._changes.change(live, act, keys, owned=owned)

    def give_back(self, before: HostedGame, hosted: HostedGame) -> int:
        """Give back the time that a change of a game took from a clock while the game was not playable.

        Returns the number of new entries.
        """
        return give_back(before, hosted, self._due.playable_since(hosted.head.game_id), self.now())

    def _stored(self, before: HostedGame | None, hosted: HostedGame) -> None:
        self._quota.count(before, hosted)
        self._due.note(hosted)
        if self._notices is not None:
            self._notices.note(before, hosted)

    def _doubt(self, before: HostedGame | None, hosted: HostedGame) -> None:
        """React to a write that was reported as failed."""
        game_id = hosted.head.game_id
        self._due.bar(game_id)
        self._doubted.setdefault(game_id, []).append((before, hosted))
        self._refresh(game_id)

    def _note_doubted(self, stored: HostedGame) -> None:
        """Announce the turn that a failed write began, if that write is in the store."""
        for before, hosted in self._doubted.pop(stored.head.game_id, ()):
            if self._notices is not None and stored.follows(hosted):
                self._notices.note(before, hosted)

    # -- background tasks ------------------------------------------------------------------------------

    def resume(self, report: ReportHealth | None = None) -> None:
        """Start automatic moves, listen to other servers, and report whether games are playable."""
        self.store.listen(self._on_news)
        works = [self._due.run(self._refresh), self._catch_up(), self._count(), self._tidy()]
        if self._notices is not None and self._notices.durable:
            works.append(self._announce_again(self._notices))
        if report is not None:
            works.append(self._watch_health(report))
        self._tasks += [asyncio.create_task(work) for work in works]

    def _on_news(self, news: News) -> None:
        """React to a change by another server, or by a write of this one that was reported as failed."""
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
        """Reload games from the store in the background, by default all that are in use."""
        used = (game_id for game_id, live in self.cache.games.items() if live.users)
        self._stale.update(game_ids or used)
        self._news.set()

    async def _catch_up(self) -> None:
        """Reload changed games until cancelled, with retries."""
        while True:
            await self._news.wait()
            self._news.clear()
            stale, self._stale = self._stale, set()
            failed = [game_id for game_id in stale if not await self._caught_up(game_id)]
            if failed:
                await asyncio.sleep(SCAN_INTERVAL_S)
                self._refresh(*failed)

    async def _caught_up(self, game_id: str) -> bool:
        """Reload a game; return False if it must be retried."""
        try:
            async with self.cache.lend(game_id) as live:
                self._note_doubted(live.hosted)
                await asyncio.sleep(0)  # let other calls run
                return True
        except ServiceError as error:
            if error.reason == Reason.STORE_FAILED:
                return False
        except Exception:
            logger.exception("what is new in game %s could not be loaded", game_id)
        self._doubted.pop(game_id, None)
        return True

    async def _announce_again(self, notices: TurnNotices) -> None:
        """Send the notices that were postponed, or that a server could not deliver before its end.

        At first all, also after some were postponed; otherwise those of other servers.
        """
        complete, left = False, list[str]()
        while True:
            if notices.postponed:
                complete = notices.postponed = False
            with contained("announcing turns again"):
                if not complete or self.store.shared:
                    left = [*dict.fromkeys(left + await self.store.untold(claimed=complete))]
                complete = True
            left = [game_id for game_id in left if notices.busy or not await self._announced(notices, game_id)]
            await asyncio.sleep(ANNOUNCE_INTERVAL_S)

    async def _announced(self, notices: TurnNotices, game_id: str) -> bool:
        """Announce the turn of a game again; return False if it must be retried."""
        try:
            async with self.lend(game_id, asked=False) as live:
                notices.announce_again(live.hosted)
        except ServiceError as error:
            return error.reason != Reason.STORE_FAILED
        except Exception:
            logger.exception("the turn in game %s could not be announced", game_id)
        return True

    async def _holds(self, notice: TurnNotice) -> bool:
        """Return whether a notice still holds, by the game in the store. Raises ServiceError: STORE_FAILED."""
        try:
            async with self.lend(notice.game_id, asked=False) as live:
                hosted = live.hosted
                return (hosted.called, hosted.turn) == (notice.version, notice.seat)
        except ServiceError as error:
            if error.reason == Reason.STORE_FAILED:
                raise
            return False

    async def _count(self) -> None:
        """Count the contents of the store, and store the last accesses, until cancelled."""
        while True:
            with contained("counting the games"):
                await self._quota.read()
            with contained("storing when games were last asked for"):
                await self._tell_touched()
            await asyncio.sleep(STORE_COUNT_INTERVAL_S)

    async def _tell_touched(self) -> None:
        asked, self._touched = self._touched, set()
        try:
            if asked:
                await self.store.touch([*asked], self.now())
        except BaseException:
            self._touched |= asked
            raise

    async def _tidy(self) -> None:
        """Delete old request names, and games without recent access, until cancelled."""
        while True:
            with contained("deleting old request ids"):
                while await self.store.forget_requests(self.now() - DAY, NAME_DELETE_BATCH) == NAME_DELETE_BATCH:
                    pass
            await asyncio.sleep(CLEANUP_INTERVAL_S)
            with contained("deleting old games"):
                if self._forget_after:
                    await self._delete()

    async def _delete(self) -> None:
        while True:
            self._touched |= {game_id for game_id, live in self.cache.games.items() if live.watchers}
            await self._tell_touched()
            before = self.now() - int(self._forget_after * DAY) - TOUCH_INTERVAL_MS
            found = await self.store.delete_untouched(before, DELETE_BATCH)
            self.cache.drop(found)
            if not found:
                break
        await self._quota.read()

    async def _watch_health(self, report: ReportHealth) -> None:
        """Report whether games are playable whenever that changes, until cancelled."""
        reported = True
        while True:
            await asyncio.sleep(HEALTH_CHECK_INTERVAL_S)
            if self.healthy != reported:
                reported = not reported
                with contained("reporting health"):
                    await report(reported)

    # -- shutdown --------------------------------------------------------------------------------------

    async def finish(self, within: float = CLOSING) -> None:
        """End all streams and automatic moves, and finish writes to the store, waiting at most `within` seconds."""
        self.finishing = True
        for task in self._tasks:
            task.cancel()
        for live in self.cache.games.values():
            live.wake()
        notices = [] if self._notices is None else [self._notices.finish()]
        await bounded(asyncio.gather(self._due.finish(within), self._changes.finish(within), *notices), within)

    async def close(self, within: float = CLOSING) -> None:
        """Close the store, waiting at most `within` seconds."""
        if not self.finishing:
            await self.finish(within / 2)
            within /= 2
        with contained("storing when games were last asked for"):
            await bounded(self._tell_touched(), within / 4)
        with contained("closing the store"):
            await bounded(self.store.close(within * 3 / 4), within * 3 / 4)
