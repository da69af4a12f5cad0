"""What a viewer may know of a kept game: its position as seats see it, and its entries with what they changed.

Every view of a game is made here, from `State.observe` only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat

from clerestory.engine.changes import Change
from clerestory.engine.core import NATURE, Action, State
from clerestory.engine.record import Record
from clerestory.engine.scoring import changes_of
from clerestory.games.kept import ServerGame
from clerestory.games.log import Entry
from clerestory.games.viewer import Viewer


@dataclass(frozen=True, slots=True)
class SeatView:
    """A position as one seat knows it.

    Attributes:
        seat: whose view; None for the public one.
        state: what the seat knows.
        acts: this viewer may act for the seat now, so its legal actions are of use.
        private: coming outcomes that the seat may have been shown.
    """

    seat: int | None
    state: State
    acts: bool
    private: Sequence[Action]


@dataclass(frozen=True, slots=True)
class EntryView:
    """An entry in its place.

    Attributes:
        entry: what happened.
        version: of the game after it.
        ply: reached by it.
        from_ply: from which.
        position: before it, as nobody may see it; None if it is not a move, or the game cannot be played here.
        changes: what it changed, as far as the viewer may know.
    """

    entry: Entry
    version: int
    ply: int
    from_ply: int
    position: State | None
    changes: Sequence[Change] = ()


def views_of(kept: ServerGame, viewer: Viewer, ply: int | None = None, *, latest: bool = True) -> list[SeatView]:
    """Return the position of a ply as each seat of a viewer sees it; with none or several seats, the public view first.

    Args:
        kept: the game.
        viewer: who looks.
        ply: None for the current one.
        latest: the game is at its latest version, so that somebody may act.
    """
    if kept.positions is None or viewer.stranger:
        return []
    present = latest and kept.running and ply in (None, kept.ply)
    position = kept.positions.at(kept.ply if ply is None else ply)
    by_seat: list[int | None] = [*viewer.seats]
    if len(by_seat) != 1:
        by_seat.insert(0, None)
    enters = kept.head.options.table and not viewer.late
    return [view_of(position, seat, present=present, enters=enters) for seat in by_seat]


def view_of(position: State, seat: int | None, *, present: bool, enters: bool) -> SeatView:
    """Return a position as a seat knows it; None for the public view.

    Args:
        position: the whole position.
        seat: whose view.
        present: somebody may act in this position.
        enters: chance outcomes are entered, and this viewer may enter them.
    """
    eyes = NATURE if seat is None else seat
    known = position.observe(eyes)
    mine = known.turn == seat if known.turn != NATURE else enters
    return SeatView(seat, known, present and mine, known.private_outcomes(eyes) if present else ())


def steps_since(before: ServerGame, kept: ServerGame, viewer: Viewer) -> Iterator[EntryView]:
    """Yield what happened in a game since `before`."""
    walk = before.copy()
    for entry in kept.entries[before.version :]:
        position, ply = None if walk.frozen or not entry.moves else walk.position, walk.ply
        walk.add(entry)
        changes = () if position is None else changes_for(viewer, position, entry, walk.position)
        yield EntryView(entry, walk.version, walk.ply, ply, position, changes)


def steps_of_line(kept: ServerGame, first: int, last: int, viewer: Viewer) -> Iterator[EntryView]:
    """Yield what led to the plies of the current line from one to another, both included."""
    numbers = {id(entry): number for number, entry in enumerate(kept.entries, 1)}
    first = max(first, 1)
    positions = repeat((None, None)) if kept.positions is None else pairwise(kept.positions.since(first - 1))
    for ply, (position, after) in zip(range(first, last + 1), positions, strict=False):
        entry = kept.line[ply - 1]
        changes = () if position is None or after is None else changes_for(viewer, position, entry, after)
        yield EntryView(entry, numbers[id(entry)], ply, ply - 1, position, changes)


def changes_for(viewer: Viewer, position: State, entry: Entry, after: State) -> Sequence[Change]:
    """Return what an entry changed by the knowledge of a viewer: that of the only seat, else what is public."""
    eyes = viewer.seats[0] if len(viewer.seats) == 1 else NATURE
    return changes_of(position.observe(eyes), entry.text, after.observe(eyes))


def record_for(kept: ServerGame, viewer: Viewer) -> Record:
    """Return the record of a game as far as a viewer may know it: all of it once the game is over."""
    return kept.record(None if kept.over else viewer.seats[0] if viewer.seats else NATURE)
