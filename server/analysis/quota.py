"""Limits concurrent searches per caller, with dynamic thresholds that leave slots for other callers."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from math import ceil

from clerestory.server.analysis.capacity import TOGETHER
from clerestory.server.analysis.demand import Demand, NoRoom, Path, Priority

OWN, SIBLING, OTHER = 6, 4, 3  # weights of the searches of the same part, the same origin, and other origins
ALONE = 2  # OWN as a multiple of OTHER: a single part may use 1/ALONE of the slots that others leave
EVERYBODY: Path = ()


@dataclass(slots=True)
class SearchQuota:
    """The searches in progress, counted by origin and part.

    An origin may use three quarters of the slots that other origins leave. A part may use two thirds of the slots that
    its sibling parts leave of these. (Nested dynamic thresholds: Choudhury and Hahne 1998, IEEE/ACM ToN 6(2).) So a
    single part can use half of all slots, `max_searches`, and the next caller always finds some, whether it has the
    same origin or another.

    Other origins cannot take an origin's fair share: with n origins, each is guaranteed one nth of all slots. So
    searches may temporarily outnumber the slots.

    Attributes:
        max_searches: maximum for a single part; half of it for hints.
        firm: whether the number of slots is a hard limit, even for an origin below its share.
    """

    max_searches: int
    firm: bool = False
    _counts: Counter[tuple[Path, int]] = field(default_factory=Counter)  # searches of this priority and lower ones
    _origins: int = 0  # number of origins with searches
    _deadlines: dict[int, float] = field(default_factory=dict)  # by id of the demand

    def take(self, demand: Demand) -> None:
        """Count a search that begins."""
        self._deadlines[id(demand)] = demand.deadline
        self._count(demand, 1)

    def free(self, demand: Demand) -> None:
        """Stop counting a search."""
        del self._deadlines[id(demand)]
        self._count(demand, -1)

    def _count(self, demand: Demand, change: int) -> None:
        for path in (EVERYBODY, *demand.paths):
            for rank in range(demand.priority + 1):
                self._counts[path, rank] += change
                if not self._counts[path, rank]:
                    del self._counts[path, rank]
        there = self._counts[demand.paths[0], Priority.MOVE]
        self._origins += change * (there == (change > 0))

    def require(self, origin: Hashable, part: Hashable, priority: Priority, now: float) -> None:
        """Raise NoRoom if one more search would be too many. Moves of other parts do not count against hints.

        The cost does not depend on the number of trees, because overload must be cheap to reject. It may be called
        while another thread updates the counts.
        """
        for rank in {Priority.MOVE, priority}:
            if self._full(origin, part, rank):
                here, own = self._counts[EVERYBODY, Priority.MOVE], self._counts[(origin,), Priority.MOVE]
                first = min(list(self._deadlines.values()), default=now)
                raise NoRoom(f"no room for one more search: {here} are in progress, {own} of this caller", first - now)

    def _full(self, origin: Hashable, part: Hashable, rank: Priority) -> bool:
        """Return whether a part has its maximum of the slots for this and lower priorities."""
        own = self._counts[(origin, part), Priority.MOVE]
        siblings = self._counts[(origin,), rank] - self._counts[(origin, part), rank]
        others: float = self._counts[EVERYBODY, rank] - self._counts[(origin,), rank]
        places = TOGETHER * ceil(self.max_searches / (1 << rank))
        if not self.firm:
            others = min(others, max(places * (1 - ALONE / self._origins_with(origin)), 0))
        return OWN * own + SIBLING * siblings + OTHER * others >= OTHER * places

    def _origins_with(self, origin: Hashable) -> int:
        """Return the number of origins with searches, counting this one."""
        return self._origins + (not self._counts[(origin,), Priority.MOVE])
