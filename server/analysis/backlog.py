"""Decides which background searches run: a deterministic policy without threads or a clock.

The bots of hosted games, reviews, and background analyses have separate slots, and wait instead of failing. Callers
below their share of the slots go first, then the earliest deadline. A search that blocks one with precedence is
interrupted after QUANTUM seconds; it keeps its tree, and resumes later.
"""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field

from clerestory.counting import decrease
from clerestory.server.analysis.active_search import ActiveSearch
from clerestory.server.analysis.demand import Path, Priority

QUANTUM = 0.1  # seconds in which a search is not interrupted
LEAST_SECONDS = 0.1  # for a search whose time ran out while it waited


@dataclass(eq=False, slots=True)
class Ticket:
    """A background search that waits for a slot, or has one.

    Attributes:
        origin: the origin; origins share the slots.
        part: the part of the origin.
        deadline: when its time ends, by the clock.
        priority: priority of the search; Priority.BACKGROUND comes last.
        needs_idle: whether it starts only when a worker is idle apart from background searches.
        placed: since when it has had a slot, by the clock; None while it waits.
        begun: whether it has had a slot before.
        search: its search, once begun.
        paths: the holders of the shares that it uses: its origin, and its part.
    """

    origin: Hashable
    part: Hashable
    deadline: float
    priority: Priority
    needs_idle: bool = False
    placed: float | None = None
    begun: bool = False
    search: ActiveSearch | None = None
    paths: tuple[Path, Path] = field(init=False, repr=False)

    def __post_init__(self) -> None:  # once, as they are needed whenever the places are divided
        self.paths = (self.origin,), (self.origin, self.part)


@dataclass(slots=True)
class Changes:
    """The changes between two assignments of the slots.

    Attributes:
        placed: tickets that got a slot.
        interrupted: tickets that lost their slot, and wait again.
    """

    placed: list[Ticket] = field(default_factory=list)
    interrupted: list[Ticket] = field(default_factory=list)


class Backlog:
    """The slots of background searches, and the searches that wait for one.

    Args:
        places: number of slots; the same number of searches may be interrupted.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._waiting: dict[Ticket, None] = {}
        self._placed: dict[Ticket, None] = {}
        self._interrupted = 0
        self._present: Counter[Path] = Counter()  # tickets by origin and part
        self._parts: Counter[Hashable] = Counter()  # parts with a ticket, by origin
        self._have: Counter[Path] = Counter()  # slots by origin and part

    @property
    def waiting(self) -> int:
        """The number of searches without a slot."""
        return len(self._waiting)

    @property
    def placed(self) -> int:
        """The number of searches with a slot."""
        return len(self._placed)

    def enter(self, ticket: Ticket) -> None:
        """Add a search that waits for a slot."""
        self._waiting[ticket] = None
        self._parts[ticket.origin] += not self._present[ticket.paths[1]]
        self._present.update(ticket.paths)

    def leave(self, ticket: Ticket) -> None:
        """Remove a search, if it is present."""
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
        """Return the time of a search that begins; the more searches wait, the smaller its share of the time left."""
        left = (ticket.deadline - now) * self.places / (self.places + self.waiting)
        return max(left, LEAST_SECONDS)

    def divide(self, now: float, *, idle: bool) -> Changes:
        """Assign slots to the searches that are next, and take them from searches with lower precedence.

        Args:
            now: the time by the clock.
            idle: whether a worker is idle apart from background searches.
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
        """Return the next search to get a slot; None if none can."""
        if not self._waiting or not (len(self._placed) < self.places or self._interrupted < self.places):
            return None
        ready = (ticket for ticket in self._waiting if idle or not ticket.needs_idle)
        return min(ready, key=self._rank, default=None)

    def _in_the_way(self, ticket: Ticket, now: float) -> Ticket | None:
        """Return the search to interrupt for another; None if there is none."""
        rank = self._rank(ticket)
        old = [one for one in self._placed if one.placed is not None and one.placed + QUANTUM <= now]
        last = max(old, key=self._rank, default=None)
        return None if last is None or self._rank(last) <= rank else last

    def _rank(self, ticket: Ticket) -> tuple[bool, bool, bool, float]:
        """Return the sort key of a search: priority, whether its origin and part have their shares, deadline."""
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
