"""Which calls are refused because their caller has searches enough: thresholds that follow the free places."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from math import ceil

from clerestory.advice.capacity import TOGETHER
from clerestory.advice.demand import Demand, NoRoom, Path, Priority

OWN, SIBLING, OTHER = 6, 4, 3  # how much a search counts against one more of its part, of its origin, of another origin
EVERYBODY: Path = ()


@dataclass(slots=True)
class Places:
    """The searches under way, counted by origin and part.

    An origin may have three quarters of the places that other origins leave, and a part of it two thirds of what its
    other parts leave of these (dynamic thresholds: Choudhury and Hahne 1998, IEEE/ACM ToN 6(2), one within the other).
    So a part alone has half of all places, `max_searches`, and whoever comes next always finds some, whether of that
    origin or another.

    Attributes:
        max_searches: of one part at once, if there is no other; hints get half of them, and the background a quarter.
    """

    max_searches: int
    _counts: Counter[tuple[Path, int]] = field(default_factory=Counter)  # searches of this priority and later ones
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
        others = self._counts[EVERYBODY, rank] - self._counts[(origin,), rank]
        places = TOGETHER * ceil(self.max_searches / (1 << rank))
        return OWN * own + SIBLING * siblings + OTHER * others >= OTHER * places
