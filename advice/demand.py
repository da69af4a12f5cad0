"""What searches ask of the workers, and what their threads have received."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import IntEnum

SOONEST_RETRY, LATEST_RETRY = 0.02, 5.0  # seconds that a refused caller is told to wait

Path = tuple[Hashable, ...]  # who has a share: everybody (), an origin (origin,), or a part of one (origin, part)


class Priority(IntEnum):
    """The order of the searches of one part; background searches come after those of everybody."""

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
        trees: number of threads; each takes a worker while it searches.
        priority: of the search.
        origin: who shares the server with other origins.
        part: of the origin, which shares the origin's share with its other parts.
        helpers: threads beyond its own, for workers that nothing else needs.
        waits: it has a place of the backlog, and is interrupted when others go before it.
        paths: who has the shares that it uses: its origin, and its part.
        clock: key of the virtual clock that measures what its trees are entitled to.
    """

    kind: Hashable
    deadline: float
    iterations: float = float("inf")
    trees: int = 1
    priority: Priority = Priority.MOVE
    origin: Hashable = None
    part: Hashable = None
    helpers: int = 0
    waits: bool = False
    paths: tuple[Path, Path] = field(init=False, repr=False)
    clock: Path = field(init=False, repr=False)

    def __post_init__(self) -> None:  # once, as they are needed for every tree at every turn
        object.__setattr__(self, "paths", ((self.origin,), (self.origin, self.part)))
        object.__setattr__(self, "clock", (self.origin, self.part, self.priority))


@dataclass(eq=False, slots=True)
class TreeTask:
    """One thread of an admitted search, and what it has received so far.

    Attributes:
        number: which of its search's threads.
        budget: seconds from its arrival to the deadline.
        entitled_from: the reading of its virtual clock when it arrived.
        minimum: iterations promised to it.
        used: seconds of a worker so far.
        iterations: so far.
        running: a worker is searching it.
        held: it must not search now.
        helps: it only gets workers that nothing else needs.
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
    helps: bool = False
