"""Games in which the server has to move: a look at the store finds them, and each gets one mover at a time.

The store alone knows which games are due: every LOOK seconds it is asked for those without a mover here. So the next
look makes good whatever was missed or has failed; changes that are stored here, and news of other servers, only save
the wait for it. A game that waits for a mover, or for its moment, is not loaded.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from itertools import islice
from math import inf
from typing import Any

from clerestory.games.background import contained
from clerestory.games.bounds import ANSWER
from clerestory.games.breaks import Breaks
from clerestory.games.cache import GameCache, SetAside, typed
from clerestory.games.changes import summary_of
from clerestory.games.kept import ServerGame
from clerestory.games.lane import MANY, Lane
from clerestory.games.live import Live
from clerestory.games.mover import Mover
from clerestory.games.recent import remember
from clerestory.games.store import Conflict, Due, Store, StoreError
from clerestory.refusals import Reason, Refusal

LOOK = 2.0  # seconds from one look for due games to the next
SOONEST = 0.05  # least seconds between two looks, where one has found more games than there were movers for
AT_ONCE = 16  # movers that are started before other calls have their turn
MOVERS = 256  # most at a time in games with a person or an open seat
PAUSE = 0.5  # seconds before a search is asked for again that was refused, if the refusal does not say
AGAIN = 16  # games that could not be moved in and are tried again with every look
REST = 0.5  # looks for which a game is left alone in which there was nothing to do, or that could not be stored
RESTING = 100  # games that rest and are looked at again with every look; if there are more, less often
MISSED = 3  # looks in a row that failed, after which the store counts as dead

logger = logging.getLogger(__name__)


class DueGames:
    """Moves in all games in which this server has to.

    Args:
        store: of the games.
        cache: of the games.
        mover: makes one move.
        most_bot_games: games of bots only in which it moves at a time.
    """

    def __init__(self, store: Store, cache: GameCache, mover: Mover, most_bot_games: int) -> None:
        self._store = store
        self._cache = cache
        self._mover = mover
        self._lanes = Lane(bots_only=False, most=MOVERS), Lane(bots_only=True, most=most_bot_games)
        self._tasks: set[asyncio.Task[None]] = set()
        self._resting: dict[str, float] = {}  # readings of the clock until which games are left alone
        self._failed: dict[str, None] = {}  # games that rest because the last attempt failed, though the store did not
        self._told: OrderedDict[str, None] = OrderedDict()  # games of which the log says that it failed
        self._frozen: OrderedDict[str, None] = OrderedDict()  # games for another server
        self._timer: asyncio.TimerHandle | None = None
        self._come = False  # games have come that wait, since the timer was set
        self._hungry = asyncio.Event()
        self._missed = 0  # looks in a row
        self._breaks = Breaks(store.now)
        self._starting = self._ended = False

    @property
    def healthy(self) -> bool:
        """Whether the store answers."""
        return self._store.alive and self._missed < MISSED

    @property
    def waiting(self) -> set[str]:
        """Games that are due and wait for a mover."""
        return {game_id for lane in self._lanes for game_id in lane.waiting}

    def overdue(self, *, bots_only: bool) -> int:
        """Return the number of games of a kind that wait for a mover, or in which it failed; from any thread."""
        return self._lanes[bots_only].overdue(self._store.now())

    @property
    def moving(self) -> set[str]:
        """Games that have a mover."""
        return {game_id for lane in self._lanes for game_id in lane.moving}

    # -- looking -----------------------------------------------------------------------------------

    async def run(self, recovered: Callable[[], None]) -> None:
        """Look for due games until cancelled; call `recovered` whenever the store answers again after a failure."""
        while True:
            with contained("the search for games in which the server must move"):
                await self._look_around(recovered)
            await asyncio.sleep(SOONEST)

    async def _look_around(self, recovered: Callable[[], None]) -> None:
        """Look for due games of both kinds, and until that is due again for those of which there were too many."""
        clock = asyncio.get_running_loop().time
        whole = clock() + LOOK - SOONEST
        self._breaks.look(clock())
        self._wake_up()
        self._note_look(await self._look(self._lanes), recovered)
        self._start_waiting()
        while (left := whole - clock()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._hungry.wait()
                await asyncio.sleep(SOONEST)
                self._hungry.clear()
                await self._look([lane for lane in self._lanes if lane.hungry])
            self._start_waiting()

    async def _look(self, lanes: Sequence[Lane]) -> Exception | None:
        """Ask the store for due games of each lane; return the error if it fails for one."""
        failed: Exception | None = None
        for lane in lanes:
            lane.fresh, lane.hungry = {}, False
            asked = MANY if not (self._store.shared or lane.bots_only) else lane.free
            if asked > 0:
                known = {*lane.moving, *self._resting, *self._frozen}
                try:
                    lane.found(await self._found(lane, asked, known), asked, known)
                except Exception as error:
                    failed = error
        return failed

    async def _found(self, lane: Lane, asked: int, known: Collection[str]) -> list[Due]:
        before = lane.until(self._store.now() + int(1000 * LOOK))
        async with asyncio.timeout(ANSWER):
            return await self._store.due(before, asked, bots_only=lane.bots_only, skip=known)

    def _note_look(self, error: Exception | None, recovered: Callable[[], None]) -> None:
        """Note whether the store has answered; only the first failure is logged, and the end of them."""
        if error is not None:
            self._missed += 1
            if self._missed == 1:
                told = str(error) if isinstance(error, StoreError) else type(error).__name__
                logger.error("the server cannot move in its games until the store answers: %s", told)
        elif self._missed:
            if self._missed >= MISSED:
                self._breaks.end()
            self._missed = 0
            logger.warning("the store answers again")
            recovered()

    def _wake_up(self) -> None:
        """Let those games be tried again that have rested long enough, and a few of those that failed."""
        clock = asyncio.get_running_loop().time()
        again = {*islice(self._failed, AGAIN)}
        for game_id in again:
            del self._failed[game_id]
        self._resting = {
            game_id: until for game_id, until in self._resting.items() if until > clock and game_id not in again
        }

    # -- faster than by looking --------------------------------------------------------------------

    def note(self, kept: ServerGame) -> None:
        """React to a game that was stored here, or may have been."""
        summary, game_id = summary_of(kept), kept.head.game_id
        self._resting.pop(game_id, None)
        self._breaks.unbar(game_id)
        soon = self._store.now() + int(1000 * LOOK)
        for lane in self._lanes:
            lane.stuck.pop(game_id, None)
            mine = lane.bots_only == summary.bots_only
            if summary.due is not None and mine and summary.due < lane.until(soon):
                lane.add(Due(game_id, kept.head.maker, summary.due))
            else:
                lane.remove(game_id)
        self._start_waiting()

    def bar(self, game_id: str) -> None:
        """Note that a game could not be stored, so that whoever has to decide in it could not play either."""
        self._breaks.bar(game_id)

    def note_news(self, game_id: str) -> None:
        """React to a game that another server has stored, in which this one may have to move."""
        if game_id not in self.moving:
            self._resting.pop(game_id, None)
            self._lanes[0].add(Due(game_id, "", 0))
            self._start_waiting()

    # -- movers ------------------------------------------------------------------------------------

    def _start(self) -> None:
        """Start as many movers as there may be, and come back when the next game becomes due."""
        if self._ended:
            return
        now, starts = self._store.now(), AT_ONCE
        for lane in self._lanes:
            while starts and (due := lane.next(now, self._resting)) is not None:
                lane.start(due)
                self._begin(self._run(lane, due))
                starts -= 1
            if lane.full and lane.free > 0 and not lane.waiting:
                lane.hungry = True
                self._hungry.set()
        if starts:
            if self._come:
                self._wait(now)
        elif not self._starting:
            self._starting = True
            asyncio.get_running_loop().call_soon(self._start_more)

    def _start_more(self) -> None:
        """Start more movers, once other calls have had their turn."""
        self._starting = False
        self._start()

    def _wait(self, now: float) -> None:
        """Come back when the next game becomes due; looking at all games that wait is for when some have come."""
        self._come = False
        later = [due.moment for lane in self._lanes for due in lane.waiting.values() if due.moment > now]
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if later:
            self._timer = asyncio.get_running_loop().call_later((min(later) - now) / 1000, self._start_waiting)

    def _start_waiting(self) -> None:
        """Start movers in games that have come, or whose moment has."""
        self._come = True
        self._start()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, lane: Lane, due: Due) -> None:
        """Move in a game as long as the server has to; whatever fails ends here."""
        try:
            await self._attempt(lane, due.game_id)
            self._told.pop(due.game_id, None)
            lane.stuck.pop(due.game_id, None)
        except Conflict:
            lane.stuck.pop(due.game_id, None)  # another server owns it now
        except SetAside:
            lane.stuck.pop(due.game_id, None)
            await self._pass_over(due.game_id)
        except Refusal as error:
            await self._refused(lane, due, error)
        except Exception:
            self._fail(lane, due.game_id)
        finally:
            lane.end(due)
            self._start()

    async def _attempt(self, lane: Lane, game_id: str) -> None:
        with typed():
            if self._store.shared and not await self._store.own(game_id):
                return
        async with self._cache.lend(game_id, fresh=True) as live:
            await self._require_a_way(live.kept)
            if live.kept.frozen:
                await self._pass_over(game_id)
            elif self._due_at(live) is None:
                self._rest(game_id, REST * LOOK)  # its row says otherwise: it would be found again before others
            while (at := self._due_at(live)) is not None:
                if at > self._store.now():
                    self._let_rest(live.kept, at)
                    return
                if lane.bots_only != live.kept.bots_only:
                    self.note(live.kept)
                    return
                await self._cache.turn()
                await self._move(live)
                if lane.bots_only and not lane.free:
                    lane.full = True
                    return  # it is another one's turn

    async def _require_a_way(self, kept: ServerGame) -> None:
        """Raise Refusal as long as nothing can be stored of a game in which somebody's time is running."""
        game_id = kept.head.game_id
        if kept.deadline is not None and self._breaks.bars(game_id):
            with typed():
                await self._store.touch([game_id], self._store.now())
            self._breaks.unbar(game_id)

    def _due_at(self, live: Live) -> int | None:
        """Return when the server has to move in a game, as `Breaks.due_at`; the clock may have jumped just now."""
        self._breaks.look(asyncio.get_running_loop().time())
        return self._breaks.due_at(live.kept, live.held)

    async def _move(self, live: Live) -> None:
        try:
            await self._mover.move(live)
        except Refusal as error:
            if error.reason != Reason.STALE_VERSION:
                raise

    def _let_rest(self, kept: ServerGame, until: float) -> None:
        """Leave a game alone whose moment has passed while games could not be played here.

        Its player may move at another server, so it is looked at again before, if there are not too many of its kind.
        """
        if kept.deadline is not None and kept.deadline < until:
            left = min((until - self._store.now()) / 1000, LOOK * (0.5 + len(self._resting) // RESTING))
            self._rest(kept.head.game_id, left)

    def _rest(self, game_id: str, seconds: float) -> None:
        """Leave a game alone for some seconds, unless something happens in it."""
        self._resting[game_id] = asyncio.get_running_loop().time() + seconds

    async def _refused(self, lane: Lane, due: Due, error: Refusal) -> None:
        """React to a refusal: wait for a worker, or leave it to a later look what the store could not do."""
        if error.reason == Reason.BUSY:
            await asyncio.sleep(error.retry or PAUSE)
            lane.add(due)
            self._come = True
        elif error.reason in (Reason.STORE_FAILED, Reason.DISK_FULL):
            remember(lane.stuck, due.game_id, None)
            self.bar(due.game_id)
            self._rest(due.game_id, REST * LOOK)  # it alone may fail, and is found again before others
        elif error.reason not in (Reason.FINISHING, Reason.NO_SUCH_GAME):
            self._fail(lane, due.game_id)

    def _fail(self, lane: Lane, game_id: str) -> None:
        """Let a game rest in which the server could not move."""
        remember(lane.stuck, game_id, None)
        if game_id not in self._told:
            remember(self._told, game_id, None)
            logger.exception("the server could not move in game %s, and will try again", game_id)
        self._failed[game_id] = None
        self._resting[game_id] = inf

    async def _pass_over(self, game_id: str) -> None:
        """Leave a frozen game to a server that can play it; the next look finds it again if that fails."""
        with suppress(StoreError):
            await self._store.release(game_id)
            remember(self._frozen, game_id, None)

    # -- the end -----------------------------------------------------------------------------------

    async def finish(self, within: float) -> None:
        """End all movers, waiting at most so many seconds."""
        self._ended = True
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=within)
