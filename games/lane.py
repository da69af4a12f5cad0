"""A lane: the movers of one kind of games, of which there may be so many, and the games that wait for one."""

from collections import Counter, OrderedDict
from collections.abc import Collection

from clerestory.counting import decrease
from clerestory.games.store import Due

MANY = 1000  # most games that one look finds
ALWAYS = 1 << 62  # milliseconds since 1970; later than any moment


class Lane:
    """The movers of one kind of games, and the games that wait for one.

    Attributes:
        bots_only: they move in games of bots only; else in all others.
        most: movers at a time.
        waiting: due games without a mover, in order.
        moving: the makers of the games that have one, by game.
        fresh: those of the waiting that were added since the last look began.
        stuck: games in which the last attempt to move failed; they are overdue until one succeeds.
        full: the last look may have left some out.
        hungry: it should be looked for more of them.
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
        """Number of further movers that there may be."""
        return self.most - len(self.moving)

    def add(self, due: Due) -> None:
        """Let a game wait, unless there are so many that the store has to remember it."""
        if len(self.waiting) < MANY and not (self.bots_only and self.free <= 0):
            self.waiting[due.game_id] = self.fresh[due.game_id] = due

    def found(self, games: list[Due], asked: int, skipped: Collection[str]) -> None:
        """Take what a look has found, beside games that it skipped."""
        self.full = len(games) >= asked
        self.waiting = {due.game_id: due for due in games} | self.fresh
        if not self.full:  # the others were deleted, or are another server's
            still = {*self.waiting, *skipped}
            self.stuck = OrderedDict((game_id, None) for game_id in self.stuck if game_id in still)

    def overdue(self, now: int) -> int:
        """Return in how many games no mover is where one should be by now, or the last one failed; from any thread."""
        late = {due.game_id for due in [*self.waiting.values()] if due.moment <= self.until(now)}
        return len(late.difference([*self.moving]).union([*self.stuck]))

    def until(self, moment: int) -> int:
        """Return up to when games count as due at a moment: bots move at once, also if the clock was set back."""
        return ALWAYS if self.bots_only else moment

    def remove(self, game_id: str) -> None:
        """Forget a game that is no longer due."""
        self.waiting.pop(game_id, None)
        self.fresh.pop(game_id, None)

    def next(self, now: int, resting: dict[str, float]) -> Due | None:
        """Return the next game that gets a mover, None for none now.

        With a person: a maker has at most as many movers as are free (dynamic threshold), so the next one finds some.
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
        """Note that a game has a mover."""
        self.remove(due.game_id)
        self.moving[due.game_id] = due.maker
        self._makers[due.maker] += 1

    def end(self, due: Due) -> None:
        """Note that its mover has ended."""
        del self.moving[due.game_id]
        decrease(self._makers, due.maker)
