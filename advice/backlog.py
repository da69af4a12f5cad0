"""Background searches that wait for a place, and whose turn it is: a policy without threads and without a clock.

The bots of kept games, reviews, and analyses in the background have places of their own, and are not refused: they
wait. Who is below its share of these places goes first, and then who has the earliest deadline. A search that is in
the way of one that goes before it is interrupted after QUANTUM seconds; it keeps its tree, and goes on later.
"""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field

from clerestory.advice.demand import Path, Priority
from clerestory.advice.job import Job
from clerestory.counting import decrease

QUANTUM = 0.1  # seconds for which a search is not interrupted
LEAST_SECONDS = 0.1  # of a search whose time has passed while it waited


@dataclass(eq=False, slots=True)
class Ticket:
    """A background search that waits for a place, or has one.

    Attributes:
        origin: who shares the places with other origins.
        part: of the origin.
        deadline: reading of the clock at which its time ends.
        priority: of the search; those of Priority.BACKGROUND come last.
        needs_idle: it begins only while a worker has nothing to do that goes before background searches.
        placed: reading of the clock since which it has a place; None while it waits.
        begun: it has had a place before.
        job: what searches for it, once it has begun.
        paths: who has the shares of places that it uses: its origin, and its part.
    """

    origin: Hashable
    part: Hashable
    deadline: float
    priority: Priority
    needs_idle: bool = False
    placed: float | None = None
    begun: bool = False
    job: Job | None = None
    paths: tuple[Path, Path] = field(init=False, repr=False)

    def __post_init__(self) -> None:  # once, as they are needed whenever the places are divided
        self.paths = (self.origin,), (self.origin, self.part)


@dataclass(slots=True)
class Changes:
    """What a new division of the places changes.

    Attributes:
        placed: tickets that have a place now.
        interrupted: tickets that had one, and wait again.
    """

    placed: list[Ticket] = field(default_factory=list)
    interrupted: list[Ticket] = field(default_factory=list)


class Backlog:
    """The places for background searches, and those who wait for one.

    Args:
        places: how many searches have one at once; as many more may be interrupted.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._waiting: dict[Ticket, None] = {}
        self._placed: dict[Ticket, None] = {}
        self._interrupted = 0
        self._present: Counter[Path] = Counter()  # tickets of origins and parts
        self._parts: Counter[Hashable] = Counter()  # parts with a ticket, by origin
        self._have: Counter[Path] = Counter()  # places of origins and parts

    @property
    def waiting(self) -> int:
        """Number of searches without a place."""
        return len(self._waiting)

    @property
    def placed(self) -> int:
        """Number of searches with a place."""
        return len(self._placed)

    def enter(self, ticket: Ticket) -> None:
        """Let a search wait for a place."""
        self._waiting[ticket] = None
        self._parts[ticket.origin] += not self._present[ticket.paths[1]]
        self._present.update(ticket.paths)

    def leave(self, ticket: Ticket) -> None:
        """Forget a search; to forget it twice is no error."""
        if ticket in self._placed:
            self._unplace(ticket)
        elif ticket in self._waiting:
            del self._waiting[ticket]
            self._interrupted -= ticket.begun
        else:
            return
        decrease(self._present, *ticket.paths)
        if not self._present[ticket.paths[1]]:
            decrease(self._parts, ticket.origin)

    def seconds(self, ticket: Ticket, now: float) -> float:
        """Return the time of a search that begins: the more searches wait, the less of the time it has left."""
        left = (ticket.deadline - now) * self.places / (self.places + self.waiting)
        return max(left, LEAST_SECONDS)

    def divide(self, now: float, *, idle: bool) -> Changes:
        """Give places to those whose turn it is, and take them from those who are in their way.

        Args:
            now: a reading of the clock.
            idle: some worker has nothing to do that goes before background searches.
        """
        changes = Changes()
        while (ticket := self._next(idle=idle)) is not None:
            if len(self._placed) >= self.places:
                other = self._in_the_way(ticket, now)
                if other is None:
                    break
                self._interrupt(other)
                changes.interrupted.append(other)
            self._place(ticket, now)
            changes.placed.append(ticket)
        return changes

    def _next(self, *, idle: bool) -> Ticket | None:
        """Return who has the next place; None if nobody waits for one that is there."""
        if not self._waiting or not (len(self._placed) < self.places or self._interrupted < self.places):
            return None
        ready = (ticket for ticket in self._waiting if idle or not ticket.needs_idle)
        return min(ready, key=self._rank, default=None)

    def _in_the_way(self, ticket: Ticket, now: float) -> Ticket | None:
        """Return the search that gives its place to another; None for none."""
        rank = self._rank(ticket)
        old = [one for one in self._placed if one.placed is not None and one.placed + QUANTUM <= now]
        last = max(old, key=self._rank, default=None)
        return None if last is None or self._rank(last) <= rank else last

    def _rank(self, ticket: Ticket) -> tuple[bool, bool, bool, float]:
        """Return what orders searches: whether origin and part have their share of places, and the deadline."""
        mine, have, (origin, part) = ticket.placed is not None, self._have.get, ticket.paths  # `[]` of none is slow
        share = self.places / len(self._parts)
        full = have(origin, 0) - mine >= share
        part_full = have(part, 0) - mine >= share / self._parts[ticket.origin]
        return ticket.priority == Priority.BACKGROUND, full, part_full, ticket.deadline

    def _place(self, ticket: Ticket, now: float) -> None:
        del self._waiting[ticket]
        self._interrupted -= ticket.begun
        self._placed[ticket] = None
        self._have.update(ticket.paths)
        ticket.placed, ticket.begun = now, True

    def _interrupt(self, ticket: Ticket) -> None:
        self._unplace(ticket)
        self._waiting[ticket] = None
        self._interrupted += 1

    def _unplace(self, ticket: Ticket) -> None:
        del self._placed[ticket]
        ticket.placed = None
        decrease(self._have, *ticket.paths)
