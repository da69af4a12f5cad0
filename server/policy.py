"""Who searches next, and who is turned away: a policy without threads and without a clock of its own.

Callers share the workers, max-min fair, and the searches of a caller share what it has: moves before hints, and as much
for each tree as for the others, never more than one worker. A clock that runs at the rate of a tree's share (virtual
time, as in fair queueing: Parekh and Gallager 1993, IEEE/ACM ToN 1(3)) tells what it is entitled to since it came; what
it is short of, over its budget, orders the trees. So those that come and end together have had the same, a short search
does not wait for the long ones that came first, and nobody has more by asking more often.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from math import ceil

SLICE = 0.004  # seconds that a tree is searched before it is compared with the others again
FRESHNESS = 0.1  # weight of the last slice in the measured speed
FIRST = 5  # slices before a speed is believed: one alone may have waited for the system
SOONEST_RETRY, LATEST_RETRY = 0.02, 5.0  # seconds that a caller turned away is told to wait
TOGETHER = 2  # times the searches of one caller: those of all
MOST_AHEAD = 0.1  # seconds of a worker beyond its share that are held against a caller
CLAIM = 1.0  # seconds after that in which others do not take the time it lacked


class Priority(IntEnum):
    """Whose need is met first: of a caller's moves and hints; the background comes after everybody's."""

    MOVE = 0
    HINT = 1
    BACKGROUND = 2


class NoRoom(Exception):
    """A search would not get its minimum in time, or there are too many already.

    Args:
        message: which of it.
        retry: seconds after which there may be room.
    """

    def __init__(self, message: str, retry: float) -> None:
        super().__init__(message)
        self.retry = min(max(retry, SOONEST_RETRY), LATEST_RETRY)


@dataclass(frozen=True, slots=True)
class Demand:
    """What a search wants.

    Attributes:
        kind: searches of one kind are thought to be equally fast.
        deadline: a reading of the clock.
        iterations: its limit, for each of its trees; infinite for none.
        trees: each of which takes a worker while it is searched.
        caller: with whose other searches it shares.
    """

    kind: Hashable
    deadline: float
    iterations: float = float("inf")
    trees: int = 1
    priority: Priority = Priority.MOVE
    caller: Hashable = None

    @property
    def clock(self) -> tuple[Hashable, Priority]:
        """What its trees are entitled to is told by this fair clock."""
        return self.caller, self.priority


@dataclass(eq=False, slots=True)
class Tree:
    """One tree of an admitted search, and what it has had.

    Attributes:
        number: which of its search's trees.
        budget: seconds from its arrival to the deadline.
        entitled_from: the reading of its fair clock when it came.
        minimum: iterations that it was promised.
        used: seconds of a worker.
        iterations: so far.
        running: a worker has it.
        held: it must not be searched now.
    """

    demand: Demand
    number: int
    budget: float
    entitled_from: float
    minimum: float
    used: float = 0.0
    iterations: int = 0
    running: bool = False
    held: bool = False


@dataclass(slots=True)
class Policy:
    """The trees that are searched in turns.

    Attributes:
        workers: trees that can be searched at once.
        max_searches: of one caller at once; hints get half of them, and the background a quarter. Of all callers
            together, twice as many.
        min_iterations: promised to every search that is admitted, unless its own limits end it before.
        speeds: iterations a second of a worker, measured, by kind.
    """

    workers: int
    max_searches: int
    min_iterations: int
    trees: list[Tree] = field(default_factory=list)
    speeds: dict[Hashable, float] = field(default_factory=dict)
    _first: dict[Hashable, list[tuple[float, int]]] = field(default_factory=dict)  # seconds, iterations of slices
    _rates: dict[tuple[Hashable, Priority], float] = field(default_factory=dict)  # workers for each tree
    _fair: dict[tuple[Hashable, Priority], float] = field(default_factory=dict)  # clocks that run at these rates
    _shares: dict[Hashable, float] = field(default_factory=dict)  # workers of each caller
    _ahead: dict[Hashable, float] = field(default_factory=dict)  # seconds of a worker that it had beyond them
    _claims: dict[Hashable, float] = field(default_factory=dict)  # until when, by the caller turned away
    _now: float = 0.0

    # -- coming and going --------------------------------------------------------------------------

    def admit(self, demand: Demand, now: float) -> list[Tree]:
        """Take a search in. Raises NoRoom if it, or one that is here, would then miss its minimum."""
        self._advance(now)
        self.require_place(demand.caller, demand.priority, now)
        minimum = min(self.min_iterations / demand.trees, demand.iterations)
        began = self._fair.get(demand.clock, 0.0)
        new = [Tree(demand, number, demand.deadline - now, began, minimum) for number in range(demand.trees)]
        self._require_time(demand, new, now)
        self.trees += new
        self._share_out()
        return new

    def require_place(self, caller: Hashable, priority: Priority, now: float) -> None:
        """Raise NoRoom if as many searches are here as may be, of whatever length they are.

        A caller may have as many as places are left free, of twice `max_searches` (a dynamic threshold: Choudhury and
        Hahne 1998, IEEE/ACM ToN 6(2)): alone, `max_searches`; beside others fewer, and the next one finds a place.
        Moves of others are no hindrance to hints.
        """
        here = {id(tree.demand): tree.demand for tree in self.trees}.values()
        own = sum(one.caller == caller for one in here)
        for rank in {Priority.MOVE, priority}:
            others = sum(one.priority >= rank for one in here if one.caller != caller)
            if own >= TOGETHER * ceil(self.max_searches / 2**rank) - own - others:
                first = min(one.deadline for one in here)
                raise NoRoom(f"{len(here)} searches are under way, {own} of this caller", first - now)

    def _require_time(self, demand: Demand, new: Sequence[Tree], now: float) -> None:
        """Raise NoRoom if not all can have their minimum, or not all of this caller within its share of the workers."""
        self._claims = {caller: until for caller, until in self._claims.items() if until > now}
        late = self._overload([*self._unmet(), *new], now, self.workers)
        if late is None:
            late = self._overload_of_share(demand, new, now)
        if late is None or not self.trees:
            return
        refusal = NoRoom(
            f"{len(self.trees)} trees are searched, and no worker has time for the least of iterations", late - now
        )
        self._claims[demand.caller] = now + refusal.retry + CLAIM
        raise refusal

    def _overload_of_share(self, demand: Demand, new: Sequence[Tree], now: float) -> float | None:
        """Return the first deadline by which a caller's share of the workers cannot meet its needs; None if it can.

        What it had beyond its share counts as a need. One that has and is unmet nothing may come in whatever its share.
        """
        share = self._share_beside_others(demand)
        own = [tree for tree in self._unmet() if tree.demand.caller == demand.caller]
        had = max(self._ahead.get(demand.caller, 0.0) - SLICE, 0.0)
        if share == self.workers or not (own or had):
            return None
        return self._overload([*own, *new], now, share, had=had)

    def _share_beside_others(self, demand: Demand) -> float:
        """Return the most workers that a caller can have beside those who are here, or were turned away lately."""
        late = demand.priority == Priority.BACKGROUND
        wants = Counter(self._claims.keys())
        wants.update(tree.demand.caller for tree in self.trees if late or tree.demand.priority < Priority.BACKGROUND)
        wants[demand.caller] = self.workers
        return fair_shares(wants, self.workers)[demand.caller]

    def leave(self, tree: Tree, now: float) -> None:
        """Let a tree go that is not searched any more; one that has gone already is no error."""
        self._advance(now)
        if tree in self.trees:
            self.trees.remove(tree)
            self._share_out()

    # -- turns -------------------------------------------------------------------------------------

    def pick(self, now: float) -> Tree | None:
        """Return the tree to search next, None if there is nothing to do; it is running from now on."""
        self._advance(now)
        ready = [tree for tree in self.trees if not tree.running and not tree.held]
        if not ready:
            return None
        tree = self._pressed(ready, now) or self._furthest_behind(ready)
        tree.running = True
        self._charge(tree, SLICE)
        return tree

    def put_back(self, tree: Tree, seconds: float, iterations: int, now: float) -> None:
        """Take back a tree that was searched for so long and so much."""
        self._advance(now)
        tree.running = False
        self._charge(tree, seconds - SLICE)
        tree.used += seconds
        tree.iterations += iterations
        if seconds > 0 and iterations:
            self._measure(tree.demand.kind, seconds, iterations)

    def _measure(self, kind: Hashable, seconds: float, iterations: int) -> None:
        """Take in how fast a slice was; the first ones count together."""
        if kind in self.speeds:
            self.speeds[kind] += FRESHNESS * (iterations / seconds - self.speeds[kind])
            return
        first = self._first.setdefault(kind, [])
        first.append((seconds, iterations))
        if len(first) == FIRST:
            self.speeds[kind] = sum(number for _, number in first) / sum(took for took, _ in first)
            del self._first[kind]

    def _charge(self, tree: Tree, seconds: float) -> None:
        """Note what a caller has of the workers."""
        caller = tree.demand.caller
        self._ahead[caller] = min(self._ahead.get(caller, 0.0) + seconds, MOST_AHEAD)

    def _furthest_behind(self, ready: Sequence[Tree]) -> Tree:
        """Return the first of all callers: the background last, and nobody's hints before his moves."""
        moving = {tree.demand.caller for tree in ready if tree.demand.priority == Priority.MOVE}

        def rank(tree: Tree) -> tuple[bool, bool, float]:
            demand = tree.demand
            hint = demand.priority == Priority.HINT
            return demand.priority == Priority.BACKGROUND, hint and demand.caller in moving, -self.lag(tree)

        return min(ready, key=rank)

    def lag(self, tree: Tree) -> float:
        """Return what a tree is short of, as of the last reading of the clock, over its budget; below 0 if ahead."""
        return (self._fair[tree.demand.clock] - tree.entitled_from - tree.used) / max(tree.budget, SLICE)

    def _pressed(self, ready: Sequence[Tree], now: float) -> Tree | None:
        """Return the first to end of those that can get their minimum only if they begin now."""
        unmet = self._unmet()
        if not unmet or self._overload(unmet, now, self.workers, reserve=2 * SLICE) is None:
            return None
        return min((tree for tree in ready if tree in unmet), key=lambda tree: tree.demand.deadline, default=None)

    # -- the promise -------------------------------------------------------------------------------

    def _unmet(self) -> list[Tree]:
        return [tree for tree in self.trees if tree.iterations < tree.minimum]

    def need(self, tree: Tree) -> float:
        """Return the seconds of a worker a tree lacks to its minimum, in whole slices, and at most half its budget."""
        speed = self.speeds.get(tree.demand.kind)
        slices = 1 if speed is None else ceil((tree.minimum - tree.iterations) / speed / SLICE)
        return max(min(slices * SLICE, tree.budget / 2), 0.0)

    def _overload(
        self, trees: Iterable[Tree], now: float, workers: float, *, reserve: float = 0.0, had: float = 0.0
    ) -> float | None:
        """Return the first deadline by which these workers cannot meet all needs; None if they can.

        Args:
            trees: that have the needs.
            now: a reading of the clock.
            workers: a whole number, or a share of them.
            reserve: seconds before each deadline that do not count.
            had: seconds of a worker that they are busy otherwise.
        """
        total = had
        for tree in sorted(trees, key=lambda tree: tree.demand.deadline):
            total += self.need(tree)
            if total > workers * (tree.demand.deadline - now - reserve):
                return tree.demand.deadline
        return None

    # -- time --------------------------------------------------------------------------------------

    def _advance(self, now: float) -> None:
        """Move the fair clocks."""
        passed = max(now - self._now, 0.0)
        for clock, rate in self._rates.items():
            self._fair[clock] += rate * passed
        for caller, ahead in list(self._ahead.items()):
            self._ahead[caller] = ahead - passed * self._shares.get(caller, self.workers)
            if self._ahead[caller] <= 0:
                del self._ahead[caller]
        self._now += passed

    def _share_out(self) -> None:
        """Set how fast the fair clocks run, now that a tree has come or gone; one that has no tree is given up."""
        numbers = Counter(tree.demand.clock for tree in self.trees)
        left, self._rates, self._shares = float(self.workers), {}, {}
        for priorities in ((Priority.MOVE, Priority.HINT), (Priority.BACKGROUND,)):
            wants: Counter[Hashable] = Counter()
            for (caller, priority), number in numbers.items():
                wants[caller] += number * (priority in priorities)
            for caller, share in fair_shares(wants, left).items():
                left -= share
                self._shares[caller] = self._shares.get(caller, 0.0) + share
                self._rates |= rates(caller, share, {one: numbers[caller, one] for one in priorities})
        self._fair = {clock: self._fair.get(clock, 0.0) for clock in self._rates}


def rates(caller: Hashable, share: float, numbers: Mapping[Priority, int]) -> dict[tuple[Hashable, Priority], float]:
    """Return what each tree of a caller gets of its share, by priority: hints have what moves leave."""
    found = {}
    for priority, number in numbers.items():
        if number:
            found[caller, priority] = min(1.0, share / number)
            share -= found[caller, priority] * number
    return found


def fair_shares(wants: Mapping[Hashable, int], workers: float) -> dict[Hashable, float]:
    """Return the workers of each caller, max-min fair: as many as it wants, or as many as whoever has the most.

    Progressive filling (Bertsekas and Gallager 1992, Data Networks, section 6.5.2), those who want least first.
    """
    shares: dict[Hashable, float] = {}
    for caller in sorted(wants, key=wants.__getitem__):
        shares[caller] = min(wants[caller], workers / (len(wants) - len(shares)))
        workers -= shares[caller]
    return shares
