"""Who searches next, and who is turned away: a policy without threads and without a clock of its own.

Every search has a share of the workers for as long as its budget runs: as much as all others of its priority at that
moment, never more than one worker for each of its trees. A clock that runs at the rate of that share (virtual time, as
in fair queueing: Parekh and Gallager 1993, IEEE/ACM ToN 1(3)) tells what a tree is entitled to since it came; what it
is short of, over its budget, orders the trees. So those that come and end together have had the same, and a short
search does not wait for the long ones that came first.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from math import ceil

SLICE = 0.004  # seconds that a tree is searched before it is compared with the others again
FRESHNESS = 0.1  # weight of the last slice in the measured speed
SOONEST_RETRY, LATEST_RETRY = 0.02, 5.0  # seconds that a caller turned away is told to wait


class Priority(IntEnum):
    """Whose need is met first."""

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
    """

    kind: Hashable
    deadline: float
    iterations: float = float("inf")
    trees: int = 1
    priority: Priority = Priority.MOVE


@dataclass(eq=False, slots=True)
class Tree:
    """One tree of an admitted search, and what it has had.

    Attributes:
        number: which of its search's trees.
        budget: seconds from its arrival to the deadline.
        entitled_from: the reading of its priority's fair clock when it came.
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
        max_searches: that can be admitted at once; hints get half of them, and the background a quarter.
        min_iterations: promised to every search that is admitted, unless its own limits end it before.
        speeds: iterations a second of a worker, measured, by kind.
    """

    workers: int
    max_searches: int
    min_iterations: int
    trees: list[Tree] = field(default_factory=list)
    speeds: dict[Hashable, float] = field(default_factory=dict)
    _fair: dict[Priority, float] = field(default_factory=lambda: dict.fromkeys(Priority, 0.0))
    _now: float = 0.0

    # -- coming and going --------------------------------------------------------------------------

    def admit(self, demand: Demand, now: float) -> list[Tree]:
        """Take a search in. Raises NoRoom if it, or one that is here, would then miss its minimum."""
        self._advance(now)
        self.owe_place(demand.priority, now)
        minimum = min(self.min_iterations / demand.trees, demand.iterations)
        new = [
            Tree(demand, number, demand.deadline - now, self._fair[demand.priority], minimum)
            for number in range(demand.trees)
        ]
        late = self._overload([*self._owed(), *new], now, 0.0)
        if late is not None and self.trees:
            raise NoRoom(
                f"{len(self.trees)} trees are searched, and no worker has time for the least of iterations", late - now
            )
        self.trees += new
        return new

    def owe_place(self, priority: Priority, now: float) -> None:
        """Raise NoRoom if as many searches are here as may be, of whatever length they are."""
        places = ceil(self.max_searches / 2**priority)
        taken = {id(tree.demand): tree.demand for tree in self.trees}
        if len(taken) >= places:
            first = min(other.deadline for other in taken.values())
            raise NoRoom(f"{len(taken)} searches are under way", first - now)

    def leave(self, tree: Tree, now: float) -> None:
        """Let a tree go that is not searched any more; one that has gone already is no error."""
        self._advance(now)
        if tree in self.trees:
            self.trees.remove(tree)

    # -- turns -------------------------------------------------------------------------------------

    def pick(self, now: float) -> Tree | None:
        """Return the tree to search next, None if there is nothing to do; it is running from now on."""
        self._advance(now)
        ready = [tree for tree in self.trees if not tree.running and not tree.held]
        if not ready:
            return None
        tree = self._pressed(ready, now) or min(ready, key=self._rank)
        tree.running = True
        return tree

    def put_back(self, tree: Tree, seconds: float, iterations: int, now: float) -> None:
        """Take back a tree that was searched for so long and so much."""
        self._advance(now)
        tree.running = False
        tree.used += seconds
        tree.iterations += iterations
        if seconds > 0 and iterations:
            speed, kind = iterations / seconds, tree.demand.kind
            self.speeds[kind] = speed + (1 - FRESHNESS) * (self.speeds.get(kind, speed) - speed)

    def _rank(self, tree: Tree) -> tuple[int, float]:
        """Moves before hints and hints before the background, then who is furthest behind."""
        return tree.demand.priority, -self.lag(tree)

    def lag(self, tree: Tree) -> float:
        """Return what a tree is short of, as of the last reading of the clock, over its budget; below 0 if ahead."""
        return (self._fair[tree.demand.priority] - tree.entitled_from - tree.used) / max(tree.budget, SLICE)

    def _pressed(self, ready: Sequence[Tree], now: float) -> Tree | None:
        """Return the first to end of those that can get their minimum only if they begin now."""
        owed = self._owed()
        if not owed or self._overload(owed, now, 2 * SLICE) is None:
            return None
        return min((tree for tree in ready if tree in owed), key=lambda tree: tree.demand.deadline, default=None)

    # -- the promise -------------------------------------------------------------------------------

    def _owed(self) -> list[Tree]:
        return [tree for tree in self.trees if tree.iterations < tree.minimum]

    def need(self, tree: Tree) -> float:
        """Return the seconds of a worker a tree lacks to its minimum, in whole slices, and at most half its budget."""
        speed = self.speeds.get(tree.demand.kind)
        slices = 1 if speed is None else ceil((tree.minimum - tree.iterations) / speed / SLICE)
        return max(min(slices * SLICE, tree.budget / 2), 0.0)

    def _overload(self, trees: Iterable[Tree], now: float, reserve: float) -> float | None:
        """Return the first deadline by which the workers cannot meet all needs, less a reserve; None if they can."""
        total = 0.0
        for tree in sorted(trees, key=lambda tree: tree.demand.deadline):
            total += self.need(tree)
            if total > self.workers * (tree.demand.deadline - now - reserve):
                return tree.demand.deadline
        return None

    # -- time --------------------------------------------------------------------------------------

    def _advance(self, now: float) -> None:
        """Move the fair clocks: moves share all the workers, hints what moves leave, the background what hints do."""
        left = float(self.workers)
        for priority in Priority:
            number = sum(tree.demand.priority == priority for tree in self.trees)
            if number:
                rate = min(1.0, left / number)
                self._fair[priority] += rate * max(now - self._now, 0.0)
                left -= rate * number
        self._now = max(now, self._now)
