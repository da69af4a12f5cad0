"""Finds games in which the server has to move, and runs one automatic move at a time in each.

Only the store knows which games are due. So every two seconds, the server asks it for due games that have no task
here, which also recovers from anything that was missed or failed. Notifications of changes only shorten the wait. A
game that waits is not loaded.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from itertools import islice
from math import inf
from typing import Any

from clerestory.server.games.auto_player import AutoPlayer
from clerestory.server.games.background import contained, remember
from clerestory.server.games.bounds import ANSWER
from clerestory.server.games.cache import GameCache, SetAside, typed
from clerestory.server.games.changes import summary_of
from clerestory.server.games.clock_pauses import ClockPauses
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.session import GameSession
from clerestory.server.games.store import Conflict, Due, Store, StoreError
from clerestory.server.games.worker_pool import MAX_DUE_PER_SCAN, WorkerPool
from clerestory.service_errors import Reason, ServiceError

SCAN_INTERVAL_S = 2.0  # seconds between two scans for due games
MIN_SCAN_INTERVAL_S = 0.05  # minimum seconds between two scans when there are more due games than tasks
MAX_STARTS = 16  # tasks started before other calls get a turn
MAX_TASKS = 256  # maximum tasks for games with a person or an open seat
RETRY_DELAY_S = 0.5  # default delay in seconds before a rejected search is retried
MAX_RETRIED = 16  # failed games retried after each scan
REST_SCANS = 0.5  # fraction of SCAN_INTERVAL_S to skip a game that had no work or could not be stored
MAX_RESTING = 100  # resting games that each scan can recheck; if there are more, they rest longer
MISSED = 3  # consecutive failed scans after which the store counts as down

logger = logging.getLogger(__name__)


class DueGames:
    """Runs the automatic moves of all games in which this server has to move.

    Args:
        store: the store of games.
        cache: the cache of games.
        mover: makes one move.
        most_bot_games: maximum concurrent games of bots only.
    """

    def __init__(self, store: Store, cache: GameCache, mover: AutoPlayer, most_bot_games: int) -> None:
        self._store = store
        self._cache = cache
        self._mover = mover
        self._pools = WorkerPool(bots_only=False, most=MAX_TASKS), WorkerPool(bots_only=True, most=most_bot_games)
        self._tasks: set[asyncio.Task[None]] = set()
        self._resting: dict[str, float] = {}  # until when to skip games, by the event loop's clock
        self._failed: dict[str, None] = {}  # games skipped after a failure that was not the store's
        self._logged: OrderedDict[str, None] = OrderedDict()  # games whose failure has been logged
        self._frozen: OrderedDict[str, None] = OrderedDict()  # games that only another server can play
        self._timer: asyncio.TimerHandle | None = None
        self._come = False  # games have come that wait, since the timer was set
        self._hungry = asyncio.Event()
        self._missed = 0  # consecutive failed scans
        self._breaks = ClockPauses(store.now)
        self._starting = self._ended = False

    @property
    def healthy(self) -> bool:
        """Whether the store responds."""
        return self._store.alive and self._missed < MISSED

    @property
    def waiting(self) -> set[str]:
        """The due games that wait for a task."""
        return {game_id for pool in self._pools for game_id in pool.waiting}

    def overdue(self, *, bots_only: bool) -> int:
        """Return the number of games of a kind that wait for a task, or whose last move failed. Thread-safe."""
        return self._pools[bots_only].overdue(self._store.now())

    @property
    def moving(self) -> set[str]:
        """The games with a task."""
        return {game_id for pool in self._pools for game_id in pool.moving}

    # -- scans -----------------------------------------------------------------------------------------

    async def run(self, recovered: Callable[[], None]) -> None:
        """Scan for due games until cancelled; call `recovered` when the store responds again after a failure."""
        while True:
            with contained("the search for games in which the server must move"):
                await self._look_around(recovered)
            await asyncio.sleep(MIN_SCAN_INTERVAL_S)

    async def _look_around(self, recovered: Callable[[], None]) -> None:
        """Scan for due games of both kinds; until the next scan, rescan the kinds that had too many."""
        clock = asyncio.get_running_loop().time
        whole = clock() + SCAN_INTERVAL_S - MIN_SCAN_INTERVAL_S
        self._breaks.look(clock())
        self._wake_up()
        self._note_look(await self._look(self._pools), recovered)
        self._start_waiting()
        while (left := whole - clock()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._hungry.wait()
                await asyncio.sleep(MIN_SCAN_INTERVAL_S)
                self._hungry.clear()
                await self._look([pool for pool in self._pools if pool.hungry])
            self._start_waiting()

    async def _look(self, pools: Sequence[WorkerPool]) -> Exception | None:
        """Ask the store for due games of each pool; return the error if it fails for one."""
        failed: Exception | None = None
        for pool in pools:
            pool.fresh, pool.hungry = {}, False
            limit = MAX_DUE_PER_SCAN if not (self._store.shared or pool.bots_only) else pool.free
            if limit > 0:
                known = {*pool.moving, *self._resting, *self._frozen}
                try:
                    pool.found(await self._found(pool, limit, known), limit, known)
                except Exception as error:
                    failed = error
        return failed

    async def _found(self, pool: WorkerPool, limit: int, known: Collection[str]) -> list[Due]:
        before = pool.until(self._store.now() + int(1000 * SCAN_INTERVAL_S))
        async with asyncio.timeout(ANSWER):
            return await self._store.due(before, limit, bots_only=pool.bots_only, skip=known)

    def _note_look(self, error: Exception | None, recovered: Callable[[], None]) -> None:
        """Record whether the store responded; log only the first failure and the recovery."""
        if error is not None:
            self._missed += 1
            if self._missed == 1:
                cause = str(error) if isinstance(error, StoreError) else type(error).__name__
                logger.error("the server cannot move in its games until the store answers: %s", cause)
        elif self._missed:
            if self._missed >= MISSED:
                self._breaks.end()
            self._missed = 0
            logger.warning("the store answers again")
            recovered()

    def _wake_up(self) -> None:
        """Make games due for a retry: those that have rested long enough, and a few of those that failed."""
        clock = asyncio.get_running_loop().time()
        again = {*islice(self._failed, MAX_RETRIED)}
        for game_id in again:
            del self._failed[game_id]
        self._resting = {
            game_id: until for game_id, until in self._resting.items() if until > clock and game_id not in again
        }

    # -- notifications ---------------------------------------------------------------------------------

    def note(self, hosted: HostedGame) -> None:
        """React to a game that was stored here, or may have been."""
        summary, game_id = summary_of(hosted), hosted.head.game_id
        self._resting.pop(game_id, None)
        self._breaks.unbar(game_id)
        soon = self._store.now() + int(1000 * SCAN_INTERVAL_S)
        for pool in self._pools:
            pool.stuck.pop(game_id, None)
            mine = pool.bots_only == summary.bots_only
            if summary.due is not None and mine and summary.due < pool.until(soon):
                pool.add(Due(game_id, hosted.head.maker, summary.due))
            else:
                pool.remove(game_id)
        self._start_waiting()

    def playable_since(self, game_id: str) -> int:
        """Return the time since which a game has been continuously playable, in milliseconds since 1970."""
        return self._breaks.began(game_id)

    def bar(self, game_id: str) -> None:
        """Record that a game could not be stored, so that its player could not move either."""
        self._breaks.bar(game_id)

    def note_news(self, game_id: str) -> None:
        """React to a game that another server has stored, in which this one may have to move."""
        if game_id not in self.moving:
            self._resting.pop(game_id, None)
            self._pools[0].add(Due(game_id, "", 0))
            self._start_waiting()

    # -- tasks -----------------------------------------------------------------------------------------

    def _start(self) -> None:
        """Start tasks up to the limit, and set a timer for the next due game."""
        if self._ended:
            return
        now, starts = self._store.now(), MAX_STARTS
        for pool in self._pools:
            while starts and (due := pool.next(now, self._resting)) is not None:
                pool.start(due)
                self._begin(self._run(pool, due))
                starts -= 1
            if pool.full and pool.free > 0 and not pool.waiting:
                pool.hungry = True
                self._hungry.set()
        if starts:
            if self._come:
                self._wait(now)
        elif not self._starting:
            self._starting = True
            asyncio.get_running_loop().call_soon(self._start_more)

    def _start_more(self) -> None:
        """Start more tasks, after other calls have had a turn."""
        self._starting = False
        self._start()

    def _wait(self, now: float) -> None:
        """Come back when the next game becomes due; looking at all games that wait is for when some have come."""
        self._come = False
        later = [due.moment for pool in self._pools for due in pool.waiting.values() if due.moment > now]
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

    async def _run(self, pool: WorkerPool, due: Due) -> None:
        """Move in a game as long as the server has to, and handle all failures."""
        try:
            await self._attempt(pool, due)
            self._logged.pop(due.game_id, None)
            pool.stuck.pop(due.game_id, None)
        except Conflict:
            pool.stuck.pop(due.game_id, None)  # another server owns it
        except SetAside:
            pool.stuck.pop(due.game_id, None)
            await self._pass_over(due.game_id)
        except ServiceError as error:
            await self._retry_later(pool, due, error)
        except Exception:
            self._fail(pool, due.game_id)
        finally:
            pool.end(due)
            self._start()

    async def _attempt(self, pool: WorkerPool, due: Due) -> None:
        game_id = due.game_id
        with typed():
            if self._store.shared and not due.owned and not await self._store.own(game_id):
                return
        async with self._cache.lend(game_id, fresh=True) as live:
            await self._require_a_way(live.hosted)
            if live.hosted.frozen:
                await self._pass_over(game_id)
            elif self._due_at(live) is None:
                self._rest(game_id, REST_SCANS * SCAN_INTERVAL_S)  # its row in the store still says that it is due
            while (at := self._due_at(live)) is not None:
                if at > self._store.now():
                    self._let_rest(live.hosted, at)
                    return
                if pool.bots_only != live.hosted.bots_only:
                    self.note(live.hosted)
                    return
                await self._cache.turn()
                await self._move(live)
                if pool.bots_only and not pool.free:
                    pool.full = True
                    return  # let another game take its turn

    async def _require_a_way(self, hosted: HostedGame) -> None:
        """Raise ServiceError while a game with a running clock cannot be stored."""
        game_id = hosted.head.game_id
        if hosted.deadline is not None and self._breaks.bars(game_id):
            with typed():
                await self._store.touch([game_id], self._store.now())
            self._breaks.unbar(game_id)

    def _due_at(self, live: GameSession) -> int | None:
        """Return when the server has to move in a game, as `ClockPauses.due_at`, after checking for a clock jump."""
        self._breaks.look(asyncio.get_running_loop().time())
        return self._breaks.due_at(live.hosted, live.held)

    async def _move(self, live: GameSession) -> None:
        try:
            await self._mover.move(live)
        except ServiceError as error:
            if error.reason != Reason.STALE_VERSION:
                raise

    def _let_rest(self, hosted: HostedGame, until: float) -> None:
        """Skip a game whose deadline passed while games were not playable here.

        Its player may move at another server, so it is rechecked earlier, unless there are too many such games.
        """
        if hosted.deadline is not None and hosted.deadline < until:
            left = min((until - self._store.now()) / 1000, SCAN_INTERVAL_S * (0.5 + len(self._resting) // MAX_RESTING))
            self._rest(hosted.head.game_id, left)

    def _rest(self, game_id: str, seconds: float) -> None:
        """Skip a game for some seconds, unless it changes."""
        self._resting[game_id] = asyncio.get_running_loop().time() + seconds

    async def _retry_later(self, pool: WorkerPool, due: Due, error: ServiceError) -> None:
        """React to an error: wait for a worker, or leave a store failure to a later scan."""
        if error.reason == Reason.BUSY:
            await asyncio.sleep(error.retry or RETRY_DELAY_S)
            pool.add(due)
            self._come = True
        elif error.reason in (Reason.STORE_FAILED, Reason.DISK_FULL):
            remember(pool.stuck, due.game_id, None)
            self.bar(due.game_id)
            self._rest(due.game_id, REST_SCANS * SCAN_INTERVAL_S)  # it may be the only failing game
        elif error.reason not in (Reason.FINISHING, Reason.NO_SUCH_GAME):
            self._fail(pool, due.game_id)

    def _fail(self, pool: WorkerPool, game_id: str) -> None:
        """Skip a game after a failed move."""
        remember(pool.stuck, game_id, None)
        if game_id not in self._logged:
            remember(self._logged, game_id, None)
            logger.exception("the server could not move in game %s, and will try again", game_id)
        self._failed[game_id] = None
        self._resting[game_id] = inf

    async def _pass_over(self, game_id: str) -> None:
        """Release a frozen game for a server that can play it; if that fails, the next scan returns it again."""
        with suppress(StoreError):
            await self._store.release(game_id)
            remember(self._frozen, game_id, None)

    # -- shutdown --------------------------------------------------------------------------------------

    async def finish(self, within: float) -> None:
        """End all tasks, waiting at most `within` seconds."""
        self._ended = True
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=within)
