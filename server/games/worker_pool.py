"""A pool of tasks for automatic moves in one kind of games, and the queue of games that wait for a task."""

from collections import Counter, OrderedDict
from collections.abc import Collection

from clerestory.counting import decrease
from clerestory.server.games.store import Due

MAX_DUE_PER_SCAN = 1000  # maximum games returned by one scan
FAR_FUTURE_MS = 1 << 62  # milliseconds since 1970; later than any moment


class WorkerPool:
    """The tasks for one kind of games, and the games that wait for one.

    Attributes:
        bots_only: whether these are games of bots only; otherwise all other games.
        most: maximum number of tasks.
        waiting: due games without a task, in order.
        moving: the makers of the games with a task, by game.
        fresh: waiting games that were added since the last scan began.
        stuck: games whose last move failed; they are overdue until one succeeds.
        full: whether the last scan may have left out games.
        hungry: whether another scan is needed.
    """

    def __init__(self, *, bots_only: bool, most: int) -> None:
        self.bots_only = bots_only
        self.most = most
        self.waiting: dict[str, Due] = {}
        self.moving: dict[str, str] = {}
        self.fresh: dict[str, Due] = {}
        self.stuck: OrderedDict[str, None] = OrderedDict()
        self.full = False
        self.hungry = False
        self._makers: Counter[str] = Counter()

    @property
    def free(self) -> int:
        """The number of free tasks."""
        return self.most - len(self.moving)

    def add(self, due: Due) -> None:
        """Add a waiting game; if the queue is full, leave it to the store."""
        if len(self.waiting) < MAX_DUE_PER_SCAN and not (self.bots_only and self.free <= 0):
            self.waiting[due.game_id] = self.fresh[due.game_id] = due

    def found(self, games: list[Due], limit: int, skipped: Collection[str]) -> None:
        """Take over the result of a scan, which left out `skipped` games."""
        self.full = len(games) >= limit
        self.waiting = {due.game_id: due for due in games} | self.fresh
        if not self.full:  # the others were deleted, or belong to another server
            still = {*self.waiting, *skipped}
            self.stuck = OrderedDict((game_id, None) for game_id in self.stuck if game_id in still)

    def overdue(self, now: int) -> int:
        """Return the number of games that are late without a task, or whose last move failed. Thread-safe."""
        late = {due.game_id for due in [*self.waiting.values()] if due.moment <= self.until(now)}
        return len(late.difference([*self.moving]).union([*self.stuck]))

    def until(self, moment: int) -> int:
        """Return the time until which games count as due: for bots always, even if the clock was set back."""
        return FAR_FUTURE_MS if self.bots_only else moment

    def remove(self, game_id: str) -> None:
        """Remove a game that is not due."""
        self.waiting.pop(game_id, None)
        self.fresh.pop(game_id, None)

    def next(self, now: int, resting: dict[str, float]) -> Due | None:
        """Return the next game to get a task; None if there is none now.

        For games with a person, a maker may have at most as many tasks as are free (dynamic threshold), so that other
        makers always find some.
        """
        free, until, movers = self.free, self.until(now), self._makers.get
        if free <= 0:
            return None
        for due in self.waiting.values():
            room = self.bots_only or movers(due.maker, 0) < free
            if room and due.moment <= until and not (due.game_id in self.moving or due.game_id in resting):
                return due
        return None

    def start(self, due: Due) -> None:
        """Record that a game has a task."""
        self.remove(due.game_id)
        self.moving[due.game_id] = due.maker
        self._makers[due.maker] += 1

    def end(self, due: Due) -> None:
        """Record that the task of a game has ended."""
        del self.moving[due.game_id]
        decrease(self._makers, due.maker)
