"""Which calls are refused because their caller has searches enough: fair shares, and thresholds beyond them."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from math import ceil

from clerestory.advice.capacity import TOGETHER
from clerestory.advice.demand import Demand, NoRoom, Path, Priority

OWN, SIBLING, OTHER = 6, 4, 3  # how much a search counts against one more of its part, of its origin, of another origin
ALONE = 2  # what OWN is, as a multiple of OTHER: a part alone has one ALONEth of the places that others leave
EVERYBODY: Path = ()


@dataclass(slots=True)
class Places:
    """The searches under way, counted by origin and part.

    An origin may have three quarters of the places that other origins leave, and a part of it two thirds of what its
    other parts leave of these (dynamic thresholds: Choudhury and Hahne 1998, IEEE/ACM ToN 6(2), one within the other).
    So a part alone has half of all places, `max_searches`, and whoever comes next always finds some, whether of that
    origin or another.

    What other origins took first counts only as far as it leaves the one that asks its share: none of n origins is
    refused below one nth of all places. So there may be more searches than places, until some end.

    Attributes:
        max_searches: of one part at once, if there is no other; hints get half of them.
        firm: there are no more than these places, even for whoever is below its share.
    """

    max_searches: int
    firm: bool = False
    _counts: Counter[tuple[Path, int]] = field(default_factory=Counter)  # searches of this priority and later ones
    _origins: int = 0  # that have searches
    _deadlines: dict[int, float] = field(default_factory=dict)  # by the identity of the demand

    def take(self, demand: Demand) -> None:
        """Count a search that begins."""
        self._deadlines[id(demand)] = demand.deadline
        self._count(demand, 1)

    def free(self, demand: Demand) -> None:
        """Count a search that has ended no more."""
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

        This costs the same however many trees there are, because it is done for every call that is refused. It may be
        asked while another thread counts.
        """
        for rank in {Priority.MOVE, priority}:
            if self._full(origin, part, rank):
                here, own = self._counts[EVERYBODY, Priority.MOVE], self._counts[(origin,), Priority.MOVE]
                first = min(list(self._deadlines.values()), default=now)
                raise NoRoom(f"no room for one more search: {here} are in progress, {own} of this caller", first - now)

    def _full(self, origin: Hashable, part: Hashable, rank: Priority) -> bool:
        """Whether a part has as many searches as it may, out of the places that this rank and later ones may take."""
        own = self._counts[(origin, part), Priority.MOVE]
        siblings = self._counts[(origin,), rank] - self._counts[(origin, part), rank]
        others: float = self._counts[EVERYBODY, rank] - self._counts[(origin,), rank]
        places = TOGETHER * ceil(self.max_searches / (1 << rank))
        if not self.firm:
            others = min(others, max(places * (1 - ALONE / self._origins_with(origin)), 0))
        return OWN * own + SIBLING * siblings + OTHER * others >= OTHER * places

    def _origins_with(self, origin: Hashable) -> int:
        """Return how many origins have searches, one more counted as if it had."""
        return self._origins + (not self._counts[(origin,), Priority.MOVE])
