"""Which tree is searched next and which call is refused: a policy without threads and without its own clock.

Callers share the workers max-min fairly. Within a caller, moves come before hints, and all trees of one priority get
the same, at most one worker each. A virtual clock that runs at the rate of a tree's share (fair queueing: Parekh and
Gallager 1993, IEEE/ACM ToN 1(3)) gives what the tree is entitled to since it arrived; its shortfall relative to its
budget orders the trees. So searches that begin and end together get the same, a short search does not wait for long
ones that came first, and asking more often brings nobody more.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from math import ceil

SLICE = 0.004  # seconds that a tree is searched before the next one is picked
FRESHNESS = 0.1  # weight of the latest slice in the measured speed
FIRST = 5  # slices before a speed is trusted: a single one may have waited for the system
SOONEST_RETRY, LATEST_RETRY = 0.02, 5.0  # seconds that a refused caller is told to wait
TOGETHER = 2  # limit on the searches of all callers together, as a multiple of one caller's
MOST_AHEAD = 0.1  # most seconds of a worker beyond its share that count against a caller
CLAIM = 1.0  # seconds after a refused caller's delay for which its share is kept free


class Priority(IntEnum):
    """The order of a caller's searches; background searches come after those of every caller."""

    MOVE = 0
    HINT = 1
    BACKGROUND = 2


class NoRoom(Exception):
    """A search could not get its minimum in time, or too many searches are under way.

    Args:
        message: which of the two.
        retry: seconds after which there may be room.
    """

    def __init__(self, message: str, retry: float) -> None:
        super().__init__(message)
        self.retry = min(max(retry, SOONEST_RETRY), LATEST_RETRY)


@dataclass(frozen=True, slots=True)
class Demand:
    """What a search needs.

    Attributes:
        kind: searches of one kind are taken to be equally fast.
        deadline: a reading of the clock.
        iterations: limit for each of its trees; infinite for none.
        trees: number of trees; each takes a worker while it is searched.
        priority: of the search.
        caller: whose it is.
    """

    kind: Hashable
    deadline: float
    iterations: float = float("inf")
    trees: int = 1
    priority: Priority = Priority.MOVE
    caller: Hashable = None

    @property
    def clock(self) -> tuple[Hashable, Priority]:
        """Key of the virtual clock that measures what its trees are entitled to."""
        return self.caller, self.priority


@dataclass(eq=False, slots=True)
class TreeTask:
    """One tree of an admitted search, and what it has received so far.

    Attributes:
        number: which of its search's trees.
        budget: seconds from its arrival to the deadline.
        entitled_from: the reading of its virtual clock when it arrived.
        minimum: iterations promised to it.
        used: seconds of a worker so far.
        iterations: so far.
        running: a worker is searching it.
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
    """The trees that share the workers.

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
    trees: list[TreeTask] = field(default_factory=list)
    speeds: dict[Hashable, float] = field(default_factory=dict)
    _first: dict[Hashable, list[tuple[float, int]]] = field(default_factory=dict)  # seconds, iterations of slices
    _rates: dict[tuple[Hashable, Priority], float] = field(default_factory=dict)  # workers for each tree
    _fair: dict[tuple[Hashable, Priority], float] = field(default_factory=dict)  # clocks that run at these rates
    _shares: dict[Hashable, float] = field(default_factory=dict)  # workers of each caller
    _ahead: dict[Hashable, float] = field(default_factory=dict)  # seconds of a worker that it had beyond them
    _claims: dict[Hashable, float] = field(default_factory=dict)  # until when, by refused caller
    _now: float = 0.0

    # -- coming and going --------------------------------------------------------------------------

    def admit(self, demand: Demand, now: float) -> list[TreeTask]:
        """Admit a search. Raises NoRoom if it or another admitted search would then miss its minimum."""
        self._advance(now)
        self.require_place(demand.caller, demand.priority, now)
        minimum = min(self.min_iterations / demand.trees, demand.iterations)
        began = self._fair.get(demand.clock, 0.0)
        new = [TreeTask(demand, number, demand.deadline - now, began, minimum) for number in range(demand.trees)]
        self._require_time(demand, new, now)
        self.trees += new
        self._share_out()
        return new

    def require_place(self, caller: Hashable, priority: Priority, now: float) -> None:
        """Raise NoRoom if the caller has as many searches as it may, however short they are.

        A caller may have as many as there are free places, out of twice `max_searches` (a dynamic threshold: Choudhury
        and Hahne 1998, IEEE/ACM ToN 6(2)): alone `max_searches`, beside others fewer, so the next caller always finds
        a place. Moves of other callers do not count against hints.
        """
        here = {id(tree.demand): tree.demand for tree in self.trees}.values()
        own = sum(one.caller == caller for one in here)
        for rank in {Priority.MOVE, priority}:
            others = sum(one.priority >= rank for one in here if one.caller != caller)
            if own >= TOGETHER * ceil(self.max_searches / 2**rank) - own - others:
                first = min(one.deadline for one in here)
                raise NoRoom(f"{len(here)} searches are under way, {own} of this caller", first - now)

    def _require_time(self, demand: Demand, new: Sequence[TreeTask], now: float) -> None:
        """Raise NoRoom unless every search can get its minimum, and this caller's within its share of the workers."""
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

    def _overload_of_share(self, demand: Demand, new: Sequence[TreeTask], now: float) -> float | None:
        """Return the first deadline by which a caller's share of the workers cannot meet its needs; None if it can.

        What it used beyond its share counts as a need. A caller with no searches and no excess is always admitted.
        """
        share = self._share_beside_others(demand)
        own = [tree for tree in self._unmet() if tree.demand.caller == demand.caller]
        had = max(self._ahead.get(demand.caller, 0.0) - SLICE, 0.0)
        if share == self.workers or not (own or had):
            return None
        return self._overload([*own, *new], now, share, had=had)

    def _share_beside_others(self, demand: Demand) -> float:
        """Return the most workers a caller can have beside the active callers and those refused lately."""
        late = demand.priority == Priority.BACKGROUND
        wants = Counter(self._claims.keys())
        wants.update(tree.demand.caller for tree in self.trees if late or tree.demand.priority < Priority.BACKGROUND)
        wants[demand.caller] = self.workers
        return fair_shares(wants, self.workers)[demand.caller]

    def leave(self, tree: TreeTask, now: float) -> None:
        """Remove a tree that is no longer searched; removing it twice is no error."""
        self._advance(now)
        if tree in self.trees:
            self.trees.remove(tree)
            self._share_out()

    # -- turns -------------------------------------------------------------------------------------

    def pick(self, now: float) -> TreeTask | None:
        """Return the tree to search next and mark it as running; None if there is nothing to do."""
        self._advance(now)
        ready = [tree for tree in self.trees if not tree.running and not tree.held]
        if not ready:
            return None
        tree = self._pressed(ready, now) or self._furthest_behind(ready)
        tree.running = True
        self._charge(tree, SLICE)
        return tree

    def put_back(self, tree: TreeTask, seconds: float, iterations: int, now: float) -> None:
        """Take back a tree after a slice of so many seconds and iterations."""
        self._advance(now)
        tree.running = False
        self._charge(tree, seconds - SLICE)
        tree.used += seconds
        tree.iterations += iterations
        if seconds > 0 and iterations:
            self._measure(tree.demand.kind, seconds, iterations)

    def _measure(self, kind: Hashable, seconds: float, iterations: int) -> None:
        """Update the measured speed by a slice; the first few are averaged."""
        if kind in self.speeds:
            self.speeds[kind] += FRESHNESS * (iterations / seconds - self.speeds[kind])
            return
        first = self._first.setdefault(kind, [])
        first.append((seconds, iterations))
        if len(first) == FIRST:
            self.speeds[kind] = sum(number for _, number in first) / sum(took for took, _ in first)
            del self._first[kind]

    def _charge(self, tree: TreeTask, seconds: float) -> None:
        """Charge a caller for time of the workers."""
        caller = tree.demand.caller
        self._ahead[caller] = min(self._ahead.get(caller, 0.0) + seconds, MOST_AHEAD)

    def _furthest_behind(self, ready: Sequence[TreeTask]) -> TreeTask:
        """Return the tree with the largest lag: background trees last, and no caller's hints before its moves."""
        moving = {tree.demand.caller for tree in ready if tree.demand.priority == Priority.MOVE}

        def rank(tree: TreeTask) -> tuple[bool, bool, float]:
            demand = tree.demand
            hint = demand.priority == Priority.HINT
            return demand.priority == Priority.BACKGROUND, hint and demand.caller in moving, -self.lag(tree)

        return min(ready, key=rank)

    def lag(self, tree: TreeTask) -> float:
        """Return how far a tree is behind its fair share, relative to its budget; negative if ahead."""
        return (self._fair[tree.demand.clock] - tree.entitled_from - tree.used) / max(tree.budget, SLICE)

    def _pressed(self, ready: Sequence[TreeTask], now: float) -> TreeTask | None:
        """Return the tree with the earliest deadline if some can only get their minimum by starting now."""
        unmet = self._unmet()
        if not unmet or self._overload(unmet, now, self.workers, reserve=2 * SLICE) is None:
            return None
        return min((tree for tree in ready if tree in unmet), key=lambda tree: tree.demand.deadline, default=None)

    # -- the promise -------------------------------------------------------------------------------

    def _unmet(self) -> list[TreeTask]:
        return [tree for tree in self.trees if tree.iterations < tree.minimum]

    def need(self, tree: TreeTask) -> float:
        """Return the seconds of a worker a tree still needs for its minimum: whole slices, at most half its budget."""
        speed = self.speeds.get(tree.demand.kind)
        slices = 1 if speed is None else ceil((tree.minimum - tree.iterations) / speed / SLICE)
        return max(min(slices * SLICE, tree.budget / 2), 0.0)

    def _overload(
        self, trees: Iterable[TreeTask], now: float, workers: float, *, reserve: float = 0.0, had: float = 0.0
    ) -> float | None:
        """Return the first deadline by which these workers cannot meet all needs; None if they can.

        Args:
            trees: the trees with the needs.
            now: a reading of the clock.
            workers: how many, not necessarily a whole number.
            reserve: seconds to keep free before each deadline.
            had: seconds of a worker to be counted as used already.
        """
        total = had
        for tree in sorted(trees, key=lambda tree: tree.demand.deadline):
            total += self.need(tree)
            if total > workers * (tree.demand.deadline - now - reserve):
                return tree.demand.deadline
        return None

    # -- time --------------------------------------------------------------------------------------

    def _advance(self, now: float) -> None:
        """Move the virtual clocks forward."""
        passed = max(now - self._now, 0.0)
        for clock, rate in self._rates.items():
            self._fair[clock] += rate * passed
        for caller, ahead in list(self._ahead.items()):
            self._ahead[caller] = ahead - passed * self._shares.get(caller, self.workers)
            if self._ahead[caller] <= 0:
                del self._ahead[caller]
        self._now += passed

    def _share_out(self) -> None:
        """Set the rates of the virtual clocks after a tree has come or gone, and drop clocks without trees."""
        numbers = Counter(tree.demand.clock for tree in self.trees)
        left, self._rates, self._shares = float(self.workers), {}, {}
        for priorities in ((Priority.MOVE, Priority.HINT), (Priority.BACKGROUND,)):
            wants: Counter[Hashable] = Counter()
            for (caller, priority), number in numbers.items():
                if priority in priorities:
                    wants[caller] += number
            for caller, share in fair_shares(wants, left).items():
                left -= share
                self._shares[caller] = self._shares.get(caller, 0.0) + share
                self._rates |= rates(caller, share, {one: numbers[caller, one] for one in priorities})
        self._fair = {clock: self._fair.get(clock, 0.0) for clock in self._rates}


def rates(caller: Hashable, share: float, numbers: Mapping[Priority, int]) -> dict[tuple[Hashable, Priority], float]:
    """Return each tree's part of its caller's share, by priority: hints get what moves leave."""
    found = {}
    for priority, number in numbers.items():
        if number:
            found[caller, priority] = min(1.0, share / number)
            share -= found[caller, priority] * number
    return found


def fair_shares(wants: Mapping[Hashable, int], workers: float) -> dict[Hashable, float]:
    """Return the workers of each caller, max-min fair: as many as it wants, or the same as every other limited caller.

    Progressive filling (Bertsekas and Gallager 1992, Data Networks, section 6.5.2), smallest demand first.
    """
    shares: dict[Hashable, float] = {}
    for caller in sorted(wants, key=wants.__getitem__):
        shares[caller] = min(wants[caller], workers / (len(wants) - len(shares)))
        workers -= shares[caller]
    return shares
