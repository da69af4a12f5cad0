"""Game servers on simulated time, with a store that fails: a simulated minute takes milliseconds."""

import asyncio
import random
import selectors
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import wraps
from math import inf
from typing import Any, TypeVar

from clerestory.server.games import commands
from clerestory.server.games.bounds import ANSWER
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import BotSettings, Entry, EntryKind, Head, SeatKind
from clerestory.server.games.manager import GameManager, Limits
from clerestory.server.games.notices import Holds, TurnNotices
from clerestory.server.games.store import (
    Batch,
    Conflict,
    Due,
    GameLog,
    News,
    NewsListener,
    StoreError,
    StoreFull,
    Summary,
    Tally,
    Unreadable,
)
from clerestory.service_errors import Reason, ServiceError
from tests.server.games.table import BOTH, head

LEASE, BEAT = 6.0, 2.0  # seconds, as in PostgreSQL
STARTED = 1_000_000_000  # milliseconds since 1970, when a simulation begins
STEP = 1e-6  # seconds that pass at least from one step of the event loop to the next
BOT_GAMES = 2  # of bots only, in which a server moves at a time
QUICK = 0.01  # seconds, the most that a store that works takes to answer

T = TypeVar("T")


# -- time ------------------------------------------------------------------------------------------


class JumpingSelector(selectors.SelectSelector):
    """Waits for nothing: time jumps to when something happens."""

    now = 0.0
    end = 3 * 3600.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "everything waits for something that never happens"
        assert self.now < self.end, f"what the test waits for has not happened within {self.end:.0f} simulated seconds"
        self.now += max(timeout, STEP)
        return []


class SimulatedLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.jumping = JumpingSelector()
        super().__init__(self.jumping)

    def time(self) -> float:
        return self.jumping.now


def simulate(run: Coroutine[Any, Any, T]) -> T:
    """Run something on a loop of simulated time, and return its result."""
    loop = SimulatedLoop()
    try:
        return loop.run_until_complete(run)
    finally:
        loop.jumping.end = inf  # for what is still to be done
        while left := asyncio.all_tasks(loop):
            for task in left:
                task.cancel()
            loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.close()


def on_simulated_time(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        simulate(test(*args, **kwargs))

    return run


def clock() -> float:
    return asyncio.get_running_loop().time()


# -- the store -------------------------------------------------------------------------------------


@dataclass
class Row:
    """A stored game; `stored` is the moment since which it is there."""

    head: Head
    entries: list[Entry]
    summary: Summary
    stored: int
    owner: int = 0
    new: bool = False  # older servers cannot read it


@dataclass
class Database:
    """What several servers share, and how it fails."""

    luck: random.Random = field(default_factory=lambda: random.Random(1))  # decides what fails
    rows: dict[str, Row] = field(default_factory=dict)
    seen: dict[int, float] = field(default_factory=dict)
    handles: list["SimulatedStore"] = field(default_factory=list)
    failing: float = 0.0  # the share of answers that fail; those to a write either before or after it is done
    hanging: float = 0.0  # the share of answers that never come
    silent: float = 0.0  # the share of notifications that are lost
    full: bool = False  # it has no space, though what is there can be read
    released: Counter[tuple[int, str]] = field(default_factory=Counter)  # times a server released a game to others
    wrong: list[str] = field(default_factory=list)  # what servers did that none may do, in words

    def lives(self, number: int) -> bool:
        return self.seen.get(number, -LEASE) > clock() - LEASE

    def require_room(self) -> None:
        if self.full:
            raise StoreFull("there is no space")

    def tell(self, sender: int, row: Row) -> None:
        """Notify the other servers, unless the news is lost."""
        for handle in self.handles:
            if handle.number != sender and not handle.dead and self.luck.random() >= self.silent:
                news = News(row.head.game_id, row.owner == handle.number, row.summary.due is not None)
                asyncio.get_running_loop().call_later(self.luck.uniform(0, QUICK), handle.hear, news)


class SimulatedStore:
    """A server's store: a call may take a moment, fail before or after it was done, or never be answered."""

    secret = b"secret"
    alive = True

    def __init__(self, database: Database, number: int, *, shared: bool = True, old: bool = False) -> None:
        self.shared = shared
        self.number = number
        self.dead = False
        self._database = database
        self._old = old
        self._heard: NewsListener = lambda _: None
        database.handles.append(self)
        database.seen[number] = clock()

    def now(self) -> int:
        return STARTED + int(1000 * clock())

    async def beat(self) -> None:
        """Renew the lease for as long as the server lives."""
        while True:
            await asyncio.sleep(BEAT)
            with suppress(StoreError):
                await self._answer(self._renew)

    def _renew(self) -> None:
        self._database.seen[self.number] = clock()

    async def _answer(self, do: Callable[[], T], *, limited: bool = True) -> T:
        """Do something, unless it fails; the answer may be lost after it was done.

        If `limited` is false, the answer may never come, so callers must not depend on it.
        """
        luck, here = self._database.luck, self._database
        if here.failing or luck.random() < 0.3:  # else it answers at once
            await asyncio.sleep(luck.uniform(0, QUICK))
        if self.dead or luck.random() < here.hanging:
            await asyncio.sleep(ANSWER if limited else 1e6)
            raise StoreError("no answer")
        lost = luck.random() < here.failing
        if lost and luck.random() < 0.5:
            raise luck.choice([StoreError("refused"), StoreFull("full")])
        found = do()
        if here.failing or luck.random() < 0.3:
            await asyncio.sleep(luck.uniform(0, QUICK))
        if lost:
            raise StoreError("the answer was lost")
        return found

    # -- games

    async def create(self, head: Head, batch: Batch) -> None:
        def do() -> None:
            if head.game_id in self._database.rows:
                raise Conflict("there is such a game")
            self._database.rows[head.game_id] = Row(head, [*batch.entries], batch.summary, self.now())

        await self._answer(do)

    async def append(self, game_id: str, number: int, batch: Batch, *, owned: bool = False) -> None:
        def do() -> None:
            row = self._database.rows[game_id]
            if number != len(row.entries) or (owned and self.shared and row.owner != self.number):
                raise Conflict("another was faster")
            self._database.require_room()
            self._judge(row, batch)
            row.entries += batch.entries
            row.summary = batch.summary
            self._database.tell(self.number, row)

        await self._answer(do)

    def _judge(self, row: Row, batch: Batch) -> None:
        """Note what is wrong with entries: that a server moves in another's game, or for a person who has time."""
        kinds = [row.head.seats[one.seat].kind for one in batch.entries if one.seat is not None]
        late = [one for one in batch.entries if one.kind == EntryKind.PLAYED_ON]
        if (late or SeatKind.BOT in kinds) and self.shared and row.owner != self.number:
            self._database.wrong.append(f"{self.number} moves in {row.head.game_id}, which {row.owner} owns")
        for one in late:
            deadline = HostedGame(row.head, row.entries).deadline
            if deadline is None or one.moment < deadline:
                self._database.wrong.append(f"a person in {row.head.game_id} had time until {deadline}")

    def _read(self, game_id: str) -> Row | None:
        row = self._database.rows.get(game_id)
        if row is not None and row.new and self._old:
            raise Unreadable("it was written by a later version")
        return row

    async def load(self, game_id: str) -> GameLog | None:
        row = await self._answer(lambda: self._read(game_id))
        return None if row is None else (row.head, [*row.entries])

    async def later(self, game_id: str, number: int) -> list[Entry]:
        row = await self._answer(lambda: self._read(game_id))
        return [] if row is None else row.entries[number:]

    async def tally(self) -> dict[str, Tally]:
        return await self._answer(
            lambda: {"": Tally(sum(r.summary.status != "over" for r in self._database.rows.values()))}
        )

    async def touch(self, game_ids: Sequence[str], moment: int) -> None:
        await self._answer(self._database.require_room)

    async def untold(self, *, claimed: bool = False) -> list[str]:
        return await self._answer(lambda: [] if claimed else [*self._database.rows])

    async def forget_requests(self, before: int, most: int) -> int:
        return 0

    # -- owners

    def _take(self, game_id: str) -> bool:
        row = self._database.rows[game_id]
        if not self.shared or row.owner == self.number or not self._database.lives(row.owner):
            row.owner = self.number
        return row.owner == self.number

    async def own(self, game_id: str) -> bool:
        return await self._answer(lambda: self._take(game_id))

    async def due(self, before: int, most: int, *, bots_only: bool, skip: Collection[str] = ()) -> list[Due]:
        def do() -> list[Due]:
            rows = [
                Due(game_id, row.head.maker, row.summary.due, owned=self.shared)
                for game_id, row in self._database.rows.items()
                if row.summary.due is not None and row.summary.due < before and row.summary.bots_only == bots_only
            ]
            rows.sort(key=lambda due: due.moment)
            return [due for due in rows if due.game_id not in skip and self._take(due.game_id)][:most]

        return await self._answer(do, limited=False)

    async def release(self, game_id: str) -> None:
        def do() -> None:
            row = self._database.rows[game_id]
            if row.owner == self.number:
                row.owner = 0
                self._database.released[self.number, game_id] += 1
                self._database.tell(self.number, row)

        await self._answer(do)

    def listen(self, heard: NewsListener) -> None:
        self._heard = heard

    def hear(self, news: News) -> None:
        if not self.dead:
            self._heard(news)

    async def close(self, within: float = 0.0) -> None:
        self._database.seen.pop(self.number, None)


# -- servers ---------------------------------------------------------------------------------------


@dataclass
class Server:
    """A server of games: the real keeper, on a simulated store, with bots that take a moment and may fail."""

    database: Database
    number: int
    shared: bool = True
    old: bool = False
    notices: Callable[[Holds], TurnNotices] | None = None
    failing: float = 0.0  # the share of searches that fail
    searching: dict[str, bool] = field(default_factory=dict)  # games in which a search goes on: of bots only
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.store: Any = SimulatedStore(self.database, self.number, shared=self.shared, old=self.old)
        limits = Limits(1000, 1000)
        self.manager = GameManager(self.store, limits, self.choose, most_bot_games=BOT_GAMES, notices=self.notices)
        self.manager.resume()
        self.tasks.append(asyncio.create_task(self.store.beat()))

    async def choose(self, hosted: HostedGame, seat: int, bot: BotSettings) -> str:
        """Return some action after a while."""
        luck, game_id = self.database.luck, hosted.head.game_id
        if game_id in self.searching:
            self.database.wrong.append(f"{self.number} searches twice in {game_id}")
        self.searching[game_id] = hosted.bots_only
        if sum(self.searching.values()) > BOT_GAMES:
            self.database.wrong.append(f"{self.number} moves in {self.searching} at once")
        try:
            await asyncio.sleep(luck.uniform(0, 0.5))
            if luck.random() < self.failing:
                busy, broken = (
                    ServiceError(Reason.BUSY, [("", "busy")], retry=1.0),
                    ServiceError(Reason.INTERNAL, [("", "")]),
                )
                raise luck.choice([busy, broken, ValueError("broken")])
            return luck.choice(hosted.position.legal_actions()).text
        finally:
            self.searching.pop(game_id, None)

    async def create(
        self, game_id: str = "game", seats: str = "pp", *, seed: int = 7, maker: str = "", **options: Any
    ) -> HostedGame:
        made = replace(head("toy", seats, seed, **options), game_id=game_id, created=self.store.now(), maker=maker)
        hosted = HostedGame(made)
        commands.advance_automatic(hosted, made.created)
        await self.manager.create(hosted, [])
        return hosted

    async def play(self, game_id: str = "game", number: int = 0) -> float:
        """Play one of the legal actions; return the second at which it was shown."""
        async with self.manager.lend(game_id) as live:
            legal, version = live.hosted.position.legal_actions(), live.hosted.version
            text = legal[number % len(legal)].text
            await self.manager.change(live, lambda game: commands.play(game, BOTH, version, text, self.manager.now()))
        return clock()

    async def until_over(self, *game_ids: str) -> None:
        while {self.database.rows[game_id].summary.status for game_id in game_ids} != {"over"}:
            await asyncio.sleep(0.1)

    def kill(self) -> None:
        """End the server at once; none of its tasks continues."""
        self.store.dead = True
        everything = [*self.tasks, *self.manager._tasks, *self.manager._due._tasks, *self.manager._changes._under_way]
        self.manager._due._ended = True
        for task in everything:
            task.cancel()
