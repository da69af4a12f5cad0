"""The demand of a search for worker time, and the usage of its threads."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import IntEnum

SOONEST_RETRY, LATEST_RETRY = 0.02, 5.0  # range of retry delays in seconds

Path = tuple[Hashable, ...]  # a share holder: everyone (), an origin (origin,), or a part of one (origin, part)


class Priority(IntEnum):
    """The priority of a search within its part; background searches come after the other searches of all callers."""

    MOVE = 0
    HINT = 1
    BACKGROUND = 2


class NoRoom(Exception):
    """A search could not get its minimum in time, or too many searches are in progress.

    Args:
        message: which of the two.
        retry: seconds after which there may be capacity.
    """

    def __init__(self, message: str, retry: float) -> None:
        super().__init__(message)
        self.retry = min(max(retry, SOONEST_RETRY), LATEST_RETRY)


@dataclass(frozen=True, slots=True)
class Demand:
    """The demand of a search.

    Attributes:
        kind: searches of one kind are assumed to be equally fast.
        deadline: the deadline, by the clock.
        iterations: limit per tree; infinite for none.
        trees: number of threads; each needs a worker while it searches.
        priority: priority of the search.
        origin: the origin; origins share the server.
        part: part of the origin; parts share the origin's share.
        helpers: number of further threads, for otherwise idle workers.
        waits: whether it has a background slot, and can be interrupted.
        paths: the holders of the shares that it uses: its origin, and its part.
        clock: key of the virtual clock that measures the entitlement of its trees.
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

    def __post_init__(self) -> None:  # computed once, because every tree needs them at every turn
        object.__setattr__(self, "paths", ((self.origin,), (self.origin, self.part)))
        object.__setattr__(self, "clock", (self.origin, self.part, self.priority))


@dataclass(eq=False, slots=True)
class TreeTask:
    """One thread of an admitted search, with its usage.

    Attributes:
        number: index of the thread in its search.
        budget: seconds from its arrival to the deadline.
        entitled_from: reading of its virtual clock at its arrival.
        minimum: guaranteed iterations.
        used: worker seconds used.
        iterations: iterations run.
        running: whether a worker is searching it.
        held: whether it must not be searched now.
        helps: whether it gets only otherwise idle workers.
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
