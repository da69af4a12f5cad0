"""Decides which tree a worker searches next and which searches are admitted, without threads or a clock.

Origins share the workers max-min fairly, and the parts of an origin share its share (hierarchical fair queueing:
Bennett and Zhang 1996, SIGCOMM). Within a part, moves come before hints, and all trees of one priority get the same, at
most one worker each. A virtual clock that runs at the rate of a tree's share (fair queueing: Parekh and Gallager 1993,
IEEE/ACM ToN 1(3)) gives the tree's entitlement since it arrived. The tree with the largest shortfall relative to its
budget is next. So concurrent searches get the same, short searches do not wait for earlier long ones, and more requests
or seats do not increase a caller's share.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

from clerestory.server.analysis.demand import Demand, NoRoom, Path, Priority, TreeTask
from clerestory.server.analysis.quota import SearchQuota

SLICE = 0.004  # seconds that a worker searches a tree before the next pick
FRESHNESS = 0.1  # weight of the latest slice in the measured speed
FIRST = 5  # slices before a speed is trusted, because a single one may have been delayed by the system
MOST_AHEAD = 0.1  # maximum worker seconds beyond its share that count against a caller
CLAIM = 1.0  # seconds that a rejected part's share stays reserved after its retry delay
MODEST = 0.25  # a search that needs at most this share of its time is admitted whatever its caller has used
CLAIMS = 64  # maximum number of reserved parts of one origin
IN_TURN = ((Priority.MOVE, Priority.HINT), (Priority.BACKGROUND,))  # later groups get what earlier ones leave

Wants = dict[Hashable, dict[Hashable, int]]  # number of trees, by origin and part


@dataclass(slots=True)
class Policy:
    """The threads of searches that share the workers.

    Attributes:
        workers: number of threads that can search at once.
        max_searches: maximum for one part of an origin, half of it for hints. Background searches do not count.
        min_iterations: guaranteed iterations of every admitted search, at measured speeds, unless its own limits end
            it.
        speeds: measured iterations per second of a worker, by kind.
    """

    workers: int
    max_searches: int
    min_iterations: int
    trees: list[TreeTask] = field(default_factory=list)
    speeds: dict[Hashable, float] = field(default_factory=dict)
    _places: SearchQuota = field(init=False)
    _helpers: list[TreeTask] = field(default_factory=list)
    _first: dict[Hashable, list[tuple[float, int]]] = field(default_factory=dict)  # seconds and iterations
    _rates: dict[Path, float] = field(default_factory=dict)  # workers per tree, by virtual clock
    _fair: dict[Path, float] = field(default_factory=dict)  # readings of these clocks when their rates were set
    _shares: dict[Path, float] = field(default_factory=dict)  # workers of each origin and part
    _ahead: dict[Path, float] = field(default_factory=dict)  # worker seconds beyond these shares, when they were set
    _claims: dict[Path, float] = field(default_factory=dict)  # expiry by rejected part
    _owed: list[TreeTask] = field(default_factory=list)  # trees without their minimum, and possibly some that have it
    _now: float = 0.0
    _passed: float = 0.0  # seconds since the shares were set

    def __post_init__(self) -> None:
        self._places = SearchQuota(self.max_searches)

    # -- admission and removal ------------------------------------------------------------------------

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
        """Raise NoRoom if a part of an origin has its maximum of searches, however short they are."""
        self._places.require(origin, part, priority, now)

    @property
    def idle(self) -> bool:
        """Whether a worker is idle apart from background searches."""
        return sum(tree.demand.priority < Priority.BACKGROUND for tree in self.trees) < self.workers

    def _require_time(self, demand: Demand, new: Sequence[TreeTask], now: float) -> None:
        """Raise NoRoom unless every search can get its minimum, and this caller's within its shares of the workers.

        The minimums of background searches do not count against other searches.
        """
        self._claims = {part: until for part, until in self._claims.items() if until > now}
        self._owed = list(filter(unmet, self._owed))
        owed = self._owed if demand.waits else self._promised
        late = self._overload([*owed, *new], now, self.workers)
        if late is None and not demand.waits and not self._is_modest(demand, new):
            late = self._overload_of_shares(demand, new, now)
        if late is None or not self.trees:
            return
        rejection = NoRoom(
            f"no worker can finish the minimum iterations in time: {len(self.trees)} search trees are running",
            late - now,
        )
        if not demand.waits:
            self._claim(demand.paths[1], now + rejection.retry + CLAIM)
        raise rejection

    def _is_modest(self, demand: Demand, new: Sequence[TreeTask]) -> bool:
        """Return whether a caller has no other search in progress and needs only a small part of its time."""
        if any(tree.demand.origin == demand.origin and not tree.demand.waits for tree in self.trees):
            return False
        return all(self.need(tree) <= MODEST * tree.budget for tree in new)

    @property
    def _promised(self) -> list[TreeTask]:
        """The trees that are owed their minimum, without background searches."""
        return [tree for tree in self._owed if not tree.demand.waits]

    def _claim(self, part: Path, until: float) -> None:
        """Reserve the share of a rejected part, for a limited number of parts of an origin."""
        if part in self._claims or sum(other[0] == part[0] for other in self._claims) < CLAIMS:
            self._claims[part] = until

    def _overload_of_shares(self, demand: Demand, new: Sequence[TreeTask], now: float) -> float | None:
        """Return the first deadline at which the share of its origin or part falls short; None if both suffice.

        Usage beyond its share counts as a need. A caller without searches and excess is always admitted. A share of all
        workers has been checked before.
        """
        if not (self.trees or self._claims):  # all workers are available
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
        """Return the maximum workers of its origin and part, beside active parts and those rejected recently."""
        late = demand.priority == Priority.BACKGROUND
        active = (tree.demand.paths[1] for tree in self.trees if late or tree.demand.priority < Priority.BACKGROUND)
        wants = by_origin(counted((*self._claims, *active)) | {demand.paths[1]: self.workers})
        share = fair_shares(totals(wants), self.workers)[demand.origin]
        return share, fair_shares(wants[demand.origin], share)[demand.part]

    def leave(self, tree: TreeTask, now: float) -> None:
        """Remove a thread that has ended, if it is present."""
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
        """Remove the threads of an interrupted background search; their current slices end first."""
        for tree in trees:
            self.leave(tree, now)

    def resume(self, trees: Sequence[TreeTask], now: float) -> None:
        """Resume an interrupted search, without entitlement for the time in between."""
        self._advance(now)
        own = [tree for tree in trees if not tree.helps and tree.iterations < tree.demand.iterations]
        for tree in own:
            tree.entitled_from = self._reading(tree.demand.clock) - tree.used
        self.trees += own
        self._owed += filter(unmet, own)
        self._helpers += [tree for tree in trees if tree.helps]
        self._share_out()

    # -- slices ----------------------------------------------------------------------------------------

    def pick(self, now: float) -> TreeTask | None:
        """Return the next thread to search, and mark it as running; None if there is nothing to do."""
        self._advance(now)
        ready = [tree for tree in self.trees if not tree.running and not tree.held]
        if not ready:
            return self._help()
        tree = self._pressed(now) or self._furthest_behind(ready)
        tree.running = True
        self._charge(tree, SLICE)
        return tree

    def _help(self) -> TreeTask | None:
        """Return a helper for an idle worker, of the caller with the fewest running ones; None if there is none.

        Helpers are not charged, because they release the worker after a slice if another search needs it.
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
        """Return how many threads a search may have, including helpers on free workers."""
        free = self.workers - len(self.trees)
        return demand.trees + max(min(demand.helpers, free), 0)

    def put_back(self, tree: TreeTask, seconds: float, iterations: int, now: float) -> None:
        """Update a thread after a slice.

        Args:
            tree: the thread.
            seconds: duration of the slice.
            iterations: iterations in the slice.
            now: the time by the clock.
        """
        self._advance(now)
        begun = tree.iterations > 0  # the first iterations may have waited up to 100 ms for memory
        tree.running = False
        tree.used += seconds
        tree.iterations += iterations
        if tree.helps:
            return
        self._charge(tree, seconds - SLICE)
        if begun and seconds > 0 and iterations:
            self._measure(tree.demand.kind, seconds, iterations)

    def _measure(self, kind: Hashable, seconds: float, iterations: int) -> None:
        """Update the measured speed with a slice; the first few are averaged."""
        if kind in self.speeds:
            self.speeds[kind] += FRESHNESS * (iterations / seconds - self.speeds[kind])
            return
        first = self._first.setdefault(kind, [])
        first.append((seconds, iterations))
        if len(first) == FIRST:
            self.speeds[kind] = sum(number for _, number in first) / sum(took for took, _ in first)
            del self._first[kind]

    def _charge(self, tree: TreeTask, seconds: float) -> None:
        """Charge an origin and its part for worker time."""
        for path in tree.demand.paths:
            self._ahead[path] = min(self._excess(path) + seconds, MOST_AHEAD) + self._entitled(path)

    def _furthest_behind(self, ready: Sequence[TreeTask]) -> TreeTask:
        """Return the tree with the largest lag: background trees last, and a part's moves before its hints."""
        moves = [tree for tree in ready if tree.demand.priority == Priority.MOVE]
        moving = {tree.demand.paths[1] for tree in moves}
        hints = [tree for tree in ready if tree.demand.priority == Priority.HINT and tree.demand.paths[1] not in moving]
        return max(moves + hints or ready, key=self.lag)

    def lag(self, tree: TreeTask) -> float:
        """Return how far a tree is behind its fair share, relative to its budget; negative if ahead."""
        return (self._reading(tree.demand.clock) - tree.entitled_from - tree.used) / max(tree.budget, SLICE)

    def _pressed(self, now: float) -> TreeTask | None:
        """Return the tree with the earliest deadline, if some can only get their minimum by starting now; None if not.

        Background searches come last.
        """
        self._owed = list(filter(unmet, self._owed))
        for owed in (self._promised, self._owed):
            if self._overload(owed, now, self.workers, reserve=2 * SLICE) is not None:
                pressed = [tree for tree in owed if not tree.running and not tree.held]
                if pressed:
                    return min(pressed, key=lambda tree: tree.demand.deadline)
        return None

    # -- guaranteed minimums ---------------------------------------------------------------------------

    def need(self, tree: TreeTask) -> float:
        """Return the worker seconds that a tree still needs for its minimum: whole slices, at most half its budget."""
        speed = self.speeds.get(tree.demand.kind)
        slices = 1 if speed is None else ceil((tree.minimum - tree.iterations) / speed / SLICE)
        return max(min(slices * SLICE, tree.budget / 2), 0.0)

    def _overload(
        self, trees: Iterable[TreeTask], now: float, workers: float, *, reserve: float = 0.0, had: float = 0.0
    ) -> float | None:
        """Return the first deadline at which these workers cannot meet all needs; None if they can.

        Args:
            trees: the trees with needs.
            now: the time by the clock.
            workers: number of workers, possibly fractional.
            reserve: seconds to keep free before each deadline.
            had: worker seconds to count as already used.
        """
        total = had
        for tree in sorted(trees, key=lambda tree: tree.demand.deadline):
            total += self.need(tree)
            if total > workers * (tree.demand.deadline - now - reserve):
                return tree.demand.deadline
        return None

    # -- time --------------------------------------------------------------------------------------

    def _advance(self, now: float) -> None:
        """Advance the time."""
        self._passed += max(now - self._now, 0.0)
        self._now = max(now, self._now)

    def _reading(self, clock: Path) -> float:
        """Return the reading of a virtual clock, which runs at its rate since the shares were set."""
        return self._fair.get(clock, 0.0) + self._rates.get(clock, 0.0) * self._passed

    def _entitled(self, path: Path) -> float:
        """Return the worker seconds that an origin or part was entitled to since the shares were set."""
        return self._shares.get(path, self.workers) * self._passed

    def _excess(self, path: Path) -> float:
        """Return the worker seconds that an origin or part has used beyond its share."""
        return max(self._ahead.get(path, 0.0) - self._entitled(path), 0.0)

    def _share_out(self) -> None:
        """Set the rates of the virtual clocks after a tree was added or removed, and drop unused clocks."""
        numbers = counted(tree.demand.clock for tree in self.trees)
        self._fair = {clock: self._reading(clock) for clock in numbers}
        self._ahead = {path: ahead for path in self._ahead if (ahead := self._excess(path))}
        left, self._rates, self._shares, self._passed = float(self.workers), {}, defaultdict(float), 0.0
        for priorities in IN_TURN if numbers else ():
            wants = by_origin({clock: number for clock, number in numbers.items() if clock[-1] in priorities})
            for path, share in nested_shares(wants, left).items():
                left -= share
                self._shares[path] += share
                self._shares[path[:1]] += share
                self._set_rates(path, share, {priority: numbers.get((*path, priority), 0) for priority in priorities})

    def _set_rates(self, part: Path, share: float, numbers: Mapping[Priority, int]) -> None:
        """Divide a part's share among its trees by priority: hints get what moves leave."""
        for priority, number in numbers.items():
            if number:
                rate = self._rates[*part, priority] = min(1.0, share / number)
                share -= rate * number


def counted(paths: Iterable[Path]) -> dict[Path, int]:
    """Return how often each path occurs; for a few, `Counter` takes five times as long."""
    counts: dict[Path, int] = {}
    for path in paths:
        counts[path] = counts.get(path, 0) + 1
    return counts


def unmet(tree: TreeTask) -> bool:
    """Return whether a tree is still owed iterations of its minimum."""
    return tree.iterations < tree.minimum


def by_origin(wants: Mapping[Path, int]) -> Wants:
    """Group the demands of parts, or of their clocks, by origin and then by part."""
    found: Wants = {}
    for (origin, part, *_), number in wants.items():
        parts = found.setdefault(origin, {})
        parts[part] = parts.get(part, 0) + number
    return found


def totals(wants: Wants) -> dict[Hashable, int]:
    """Return the total demand of each origin."""
    return {origin: sum(parts.values()) for origin, parts in wants.items()}


def nested_shares(wants: Wants, workers: float) -> dict[Path, float]:
    """Return the workers of each part, max-min fair among the origins, and within each origin among its parts."""
    return {
        (origin, part): its
        for origin, share in fair_shares(totals(wants), workers).items()
        for part, its in fair_shares(wants[origin], share).items()
    }


def fair_shares(wants: Mapping[Hashable, int], workers: float) -> dict[Hashable, float]:
    """Return the max-min fair shares of the workers: the demand, or the same as every other limited one.

    It uses progressive filling (Bertsekas and Gallager 1992, Data Networks, section 6.5.2), smallest demand first.
    """
    shares: dict[Hashable, float] = {}
    for one in sorted(wants, key=wants.__getitem__):
        shares[one] = min(wants[one], workers / (len(wants) - len(shares)))
        workers -= shares[one]
    return shares
