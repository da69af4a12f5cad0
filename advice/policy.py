"""Which tree is searched next and which call is refused: a policy without threads and without its own clock.

Origins share the workers max-min fairly, and the parts of an origin its share (hierarchical fair queueing: Bennett and
Zhang 1996, SIGCOMM). Within a part, moves come before hints, and all trees of one priority get the same, at most one
worker each. A virtual clock that runs at the rate of a tree's share (fair queueing: Parekh and Gallager 1993, IEEE/ACM
ToN 1(3)) gives what the tree is entitled to since it arrived; its shortfall relative to its budget orders the trees. So
searches that begin and end together get the same, a short search does not wait for long ones that came first, and
asking more often, or from more seats, brings nobody more.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

from clerestory.advice.demand import Demand, NoRoom, Path, Priority, TreeTask
from clerestory.advice.places import Places

SLICE = 0.004  # seconds that a tree is searched before the next one is picked
FRESHNESS = 0.1  # weight of the latest slice in the measured speed
FIRST = 5  # slices before a speed is trusted: a single one may have waited for the system
MOST_AHEAD = 0.1  # most seconds of a worker beyond its share that count against a caller
CLAIM = 1.0  # seconds after a refused part's delay for which its share is kept free
MODEST = 0.25  # of its time that a search may need which is not held to what its caller has had before
CLAIMS = 64  # most parts of one origin for which this is done at once
IN_TURN = ((Priority.MOVE, Priority.HINT), (Priority.BACKGROUND,))  # the later ones have what the earlier ones leave

Wants = dict[Hashable, dict[Hashable, int]]  # trees, by origin and part


@dataclass(slots=True)
class Policy:
    """The threads of searches that share the workers.

    Attributes:
        workers: threads that can search at once.
        max_searches: of one part of an origin at once; hints get half of them. Those that wait in the backlog do not
            count.
        min_iterations: for which every search that is admitted has time, at the speeds measured, unless its own limits
            end it before.
        speeds: iterations a second of a worker, measured, by kind.
    """

    workers: int
    max_searches: int
    min_iterations: int
    trees: list[TreeTask] = field(default_factory=list)
    speeds: dict[Hashable, float] = field(default_factory=dict)
    _places: Places = field(init=False)
    _helpers: list[TreeTask] = field(default_factory=list)
    _first: dict[Hashable, list[tuple[float, int]]] = field(default_factory=dict)  # seconds, iterations of slices
    _rates: dict[Path, float] = field(default_factory=dict)  # workers for each tree, by virtual clock
    _fair: dict[Path, float] = field(default_factory=dict)  # readings of these clocks when their rates were set
    _shares: dict[Path, float] = field(default_factory=dict)  # workers of each origin and part
    _ahead: dict[Path, float] = field(default_factory=dict)  # seconds of a worker beyond them, when they were set
    _claims: dict[Path, float] = field(default_factory=dict)  # until when, by refused part
    _owed: list[TreeTask] = field(default_factory=list)  # trees without their minimum, and some that have it by now
    _now: float = 0.0
    _passed: float = 0.0  # seconds since the shares were set

    def __post_init__(self) -> None:
        self._places = Places(self.max_searches)

    # -- coming and going --------------------------------------------------------------------------

    def admit(self, demand: Demand, now: float) -> list[TreeTask]:
        """Admit a search. Raises NoRoom if it or another admitted search would then miss its minimum."""
        self._advance(now)
        if not demand.waits:
            self.require_place(demand.origin, demand.part, demand.priority, now)
        minimum = min(self.min_iterations / demand.trees, demand.iterations)
        began = self._reading(demand.clock)
        new = [TreeTask(demand, number, demand.deadline - now, began, minimum) for number in range(demand.trees)]
        more = range(demand.trees, demand.trees + demand.helpers)
        helpers = [TreeTask(demand, number, demand.deadline - now, began, 0, helps=True) for number in more]
        self._require_time(demand, new, now)
        if not demand.waits:
            self._places.take(demand)
        self.trees += new
        self._owed += new
        self._helpers += helpers
        self._share_out()
        return new + helpers

    def require_place(self, origin: Hashable, part: Hashable, priority: Priority, now: float) -> None:
        """Raise NoRoom if a part of an origin has as many searches as it may, however short they are."""
        self._places.require(origin, part, priority, now)

    @property
    def idle(self) -> bool:
        """Whether some worker has nothing to do that goes before background searches."""
        return sum(tree.demand.priority < Priority.BACKGROUND for tree in self.trees) < self.workers

    def _require_time(self, demand: Demand, new: Sequence[TreeTask], now: float) -> None:
        """Raise NoRoom unless every search can get its minimum, and this caller's within its shares of the workers.

        The minimums of the backlog are no reason to refuse what does not wait.
        """
        self._claims = {part: until for part, until in self._claims.items() if until > now}
        self._owed = list(filter(unmet, self._owed))
        owed = self._owed if demand.waits else self._promised
        late = self._overload([*owed, *new], now, self.workers)
        if late is None and not demand.waits and not self._is_modest(demand, new):
            late = self._overload_of_shares(demand, new, now)
        if late is None or not self.trees:
            return
        refusal = NoRoom(
            f"no worker can finish the minimum iterations in time: {len(self.trees)} search trees are running",
            late - now,
        )
        if not demand.waits:
            self._claim(demand.paths[1], now + refusal.retry + CLAIM)
        raise refusal

    def _is_modest(self, demand: Demand, new: Sequence[TreeTask]) -> bool:
        """Whether a caller has no search in progress, and asks for one that needs a small part of its time."""
        if any(tree.demand.origin == demand.origin and not tree.demand.waits for tree in self.trees):
            return False
        return all(self.need(tree) <= MODEST * tree.budget for tree in new)

    @property
    def _promised(self) -> list[TreeTask]:
        """The trees that are owed their minimum, without those of the backlog."""
        return [tree for tree in self._owed if not tree.demand.waits]

    def _claim(self, part: Path, until: float) -> None:
        """Keep the share of a refused part free, for as many parts of an origin as every admission can look at."""
        if part in self._claims or sum(other[0] == part[0] for other in self._claims) < CLAIMS:
            self._claims[part] = until

    def _overload_of_shares(self, demand: Demand, new: Sequence[TreeTask], now: float) -> float | None:
        """Return the first deadline by which the share of its origin or part cannot meet its needs; None if both can.

        What it used beyond its share counts as a need. Whoever has no searches and no excess is always admitted, and
        a share that is all there is to share has been checked already.
        """
        if not (self.trees or self._claims):  # all workers are there to be shared
            return None
        whole = float(self.workers)
        for path, share in zip(demand.paths, self._shares_beside_others(demand), strict=True):
            own = [tree for tree in self._promised if path in tree.demand.paths]
            had = max(self._excess(path) - SLICE, 0.0)
            if share < whole and (own or had):
                late = self._overload([*own, *new], now, share, had=had)
                if late is not None:
                    return late
            whole = share
        return None

    def _shares_beside_others(self, demand: Demand) -> tuple[float, float]:
        """Return the most workers its origin and part can have beside those who are active or were refused lately."""
        late = demand.priority == Priority.BACKGROUND
        active = (tree.demand.paths[1] for tree in self.trees if late or tree.demand.priority < Priority.BACKGROUND)
        wants = by_origin(dict(Counter((*self._claims, *active))) | {demand.paths[1]: self.workers})
        share = fair_shares(totals(wants), self.workers)[demand.origin]
        return share, fair_shares(wants[demand.origin], share)[demand.part]

    def leave(self, tree: TreeTask, now: float) -> None:
        """Remove a thread that has ended; removing it twice is no error."""
        self._advance(now)
        if tree.helps:
            self._helpers = [one for one in self._helpers if one is not tree]
        elif tree in self.trees:
            self.trees.remove(tree)
            self._owed = [one for one in self._owed if one is not tree]
            if not any(one.demand is tree.demand for one in self.trees):
                if not tree.demand.waits:
                    self._places.free(tree.demand)
                self._helpers = [one for one in self._helpers if one.demand is not tree.demand]
            self._share_out()

    def interrupt(self, trees: Sequence[TreeTask], now: float) -> None:
        """Remove the threads of a search of the backlog that goes on later; a slice that is under way ends first."""
        for tree in trees:
            self.leave(tree, now)

    def resume(self, trees: Sequence[TreeTask], now: float) -> None:
        """Let a search that was interrupted go on; for the time in between it is entitled to nothing."""
        self._advance(now)
        own = [tree for tree in trees if not tree.helps and tree.iterations < tree.demand.iterations]
        for tree in own:
            tree.entitled_from = self._reading(tree.demand.clock) - tree.used
        self.trees += own
        self._owed += filter(unmet, own)
        self._helpers += [tree for tree in trees if tree.helps]
        self._share_out()

    # -- turns -------------------------------------------------------------------------------------

    def pick(self, now: float) -> TreeTask | None:
        """Return the thread to go on with and mark it as running; None if there is nothing to do."""
        self._advance(now)
        ready = [tree for tree in self.trees if not tree.running and not tree.held]
        if not ready:
            return self._help()
        tree = self._pressed(now) or self._furthest_behind(ready)
        tree.running = True
        self._charge(tree, SLICE)
        return tree

    def _help(self) -> TreeTask | None:
        """Return a helper for a worker that nothing else needs: of whoever has the fewest; None if there is none.

        It is not charged: when somebody comes who needs the worker, it is given back after a slice.
        """
        ready = [tree for tree in self._helpers if not tree.running and not tree.held]
        had = Counter(path for tree in self._helpers if tree.running for path in tree.demand.paths)
        of_search = Counter(id(tree.demand) for tree in self._helpers if tree.running)
        tree = min(
            ready,
            key=lambda tree: (*(had[path] for path in tree.demand.paths), of_search[id(tree.demand)], tree.used),
            default=None,
        )
        if tree is not None:
            tree.running = True
        return tree

    def threads(self, demand: Demand) -> int:
        """Return how many threads a search may have from now on, with the helpers for which workers are free."""
        free = self.workers - len(self.trees)
        return demand.trees + max(min(demand.helpers, free), 0)

    def put_back(self, tree: TreeTask, seconds: float, iterations: int, now: float) -> None:
        """Take back a thread after a slice of so many seconds and iterations."""
        self._advance(now)
        begun = tree.iterations > 0  # the first iterations may have waited for memory, for as long as 100 ms
        tree.running = False
        tree.used += seconds
        tree.iterations += iterations
        if tree.helps:
            return
        self._charge(tree, seconds - SLICE)
        if begun and seconds > 0 and iterations:
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
        """Charge an origin and its part for time of the workers."""
        for path in tree.demand.paths:
            self._ahead[path] = min(self._excess(path) + seconds, MOST_AHEAD) + self._entitled(path)

    def _furthest_behind(self, ready: Sequence[TreeTask]) -> TreeTask:
        """Return the tree with the largest lag: background trees last, and no part's hints before its moves."""
        moves = [tree for tree in ready if tree.demand.priority == Priority.MOVE]
        moving = {tree.demand.paths[1] for tree in moves}
        hints = [tree for tree in ready if tree.demand.priority == Priority.HINT and tree.demand.paths[1] not in moving]
        return max(moves + hints or ready, key=self.lag)

    def lag(self, tree: TreeTask) -> float:
        """Return how far a tree is behind its fair share, relative to its budget; negative if ahead."""
        return (self._reading(tree.demand.clock) - tree.entitled_from - tree.used) / max(tree.budget, SLICE)

    def _pressed(self, now: float) -> TreeTask | None:
        """Return the tree with the earliest deadline if some can only get their minimum by starting now.

        Those of the backlog come last.
        """
        self._owed = list(filter(unmet, self._owed))
        for owed in (self._promised, self._owed):
            if self._overload(owed, now, self.workers, reserve=2 * SLICE) is not None:
                pressed = [tree for tree in owed if not tree.running and not tree.held]
                if pressed:
                    return min(pressed, key=lambda tree: tree.demand.deadline)
        return None

    # -- the promise -------------------------------------------------------------------------------

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
        """Move the time forward."""
        self._passed += max(now - self._now, 0.0)
        self._now = max(now, self._now)

    def _reading(self, clock: Path) -> float:
        """Return what a virtual clock shows: it runs at its rate since the shares were set."""
        return self._fair.get(clock, 0.0) + self._rates.get(clock, 0.0) * self._passed

    def _entitled(self, path: Path) -> float:
        """Return the seconds of a worker that an origin or part could have had since the shares were set."""
        return self._shares.get(path, self.workers) * self._passed

    def _excess(self, path: Path) -> float:
        """Return the seconds of a worker that an origin or part has had beyond its share."""
        return max(self._ahead.get(path, 0.0) - self._entitled(path), 0.0)

    def _share_out(self) -> None:
        """Set the rates of the virtual clocks after a tree has come or gone, and drop clocks without trees."""
        numbers = Counter(tree.demand.clock for tree in self.trees)
        self._fair = {clock: self._reading(clock) for clock in numbers}
        self._ahead = {path: ahead for path in self._ahead if (ahead := self._excess(path))}
        left, self._rates, self._shares, self._passed = float(self.workers), {}, defaultdict(float), 0.0
        for priorities in IN_TURN if numbers else ():
            wants = by_origin({clock: number for clock, number in numbers.items() if clock[-1] in priorities})
            for path, share in nested_shares(wants, left).items():
                left -= share
                self._shares[path] += share
                self._shares[path[:1]] += share
                self._set_rates(path, share, {priority: numbers[*path, priority] for priority in priorities})

    def _set_rates(self, part: Path, share: float, numbers: Mapping[Priority, int]) -> None:
        """Divide a part's share among so many trees of each priority: hints get what moves leave."""
        for priority, number in numbers.items():
            if number:
                rate = self._rates[*part, priority] = min(1.0, share / number)
                share -= rate * number


def unmet(tree: TreeTask) -> bool:
    """Whether a tree is still owed iterations of its minimum."""
    return tree.iterations < tree.minimum


def by_origin(wants: Mapping[Path, int]) -> Wants:
    """Return what parts want, or their clocks, by origin and then by part."""
    found: Wants = {}
    for (origin, part, *_), number in wants.items():
        parts = found.setdefault(origin, {})
        parts[part] = parts.get(part, 0) + number
    return found


def totals(wants: Wants) -> dict[Hashable, int]:
    """Return what each origin wants for all its parts."""
    return {origin: sum(parts.values()) for origin, parts in wants.items()}


def nested_shares(wants: Wants, workers: float) -> dict[Path, float]:
    """Return the workers of each part, max-min fair among the origins, and in each origin among its parts."""
    return {
        (origin, part): its
        for origin, share in fair_shares(totals(wants), workers).items()
        for part, its in fair_shares(wants[origin], share).items()
    }


def fair_shares(wants: Mapping[Hashable, int], workers: float) -> dict[Hashable, float]:
    """Return the workers of each, max-min fair: as many as it wants, or the same as every other one that is limited.

    Progressive filling (Bertsekas and Gallager 1992, Data Networks, section 6.5.2), smallest demand first.
    """
    shares: dict[Hashable, float] = {}
    for one in sorted(wants, key=wants.__getitem__):
        shares[one] = min(wants[one], workers / (len(wants) - len(shares)))
        workers -= shares[one]
    return shares
