"""Views of a hosted game: the position as seats see it, and entries with their changes, as a viewer may know them.

This module creates all views of games, only with `State.observe`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat

from clerestory.engine.changes import Change
from clerestory.engine.core import NATURE, Action, State
from clerestory.engine.record import Record
from clerestory.engine.scoring import changes_of
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import Entry
from clerestory.server.games.viewer import Viewer


@dataclass(frozen=True, slots=True)
class SeatView:
    """A position as one seat knows it.

    Attributes:
        seat: the seat; None for the public view.
        state: the position as the seat knows it.
        acts: whether the viewer may act for the seat now, so that its legal actions are useful.
        private: coming outcomes that the seat may have seen.
    """

    seat: int | None
    state: State
    acts: bool
    private: Sequence[Action]


@dataclass(frozen=True, slots=True)
class EntryView:
    """An entry with its context.

    Attributes:
        entry: the entry.
        version: version of the game after it.
        ply: ply after it.
        from_ply: ply before it.
        position: the complete position before it, which must not be shown; None if it is not a move or the game is
            frozen.
        changes: its changes, as far as the viewer may know them.
    """

    entry: Entry
    version: int
    ply: int
    from_ply: int
    position: State | None
    changes: Sequence[Change] = ()


def views_of(hosted: HostedGame, viewer: Viewer, ply: int | None = None, *, latest: bool = True) -> list[SeatView]:
    """Return the views of a viewer's seats at a ply; with no seat or several, the public view comes first.

    Args:
        hosted: the game.
        viewer: the viewer.
        ply: the ply, None for the current one.
        latest: whether the game is at its latest version, so that actions are possible.
    """
    if hosted.positions is None or viewer.stranger:
        return []
    present = latest and hosted.running and ply in (None, hosted.ply)
    position = hosted.positions.at(hosted.ply if ply is None else ply)
    by_seat: list[int | None] = [*viewer.seats]
    if len(by_seat) != 1:
        by_seat.insert(0, None)
    enters = hosted.head.options.table and not viewer.late
    return [view_of(position, seat, present=present, enters=enters) for seat in by_seat]


def view_of(position: State, seat: int | None, *, present: bool, enters: bool) -> SeatView:
    """Return a position as a seat knows it; None for the public view.

    Args:
        position: the complete position.
        seat: the seat.
        present: whether actions are possible in this position.
        enters: whether chance outcomes are entered, and the viewer may enter them.
    """
    eyes = NATURE if seat is None else seat
    known = position.observe(eyes)
    mine = known.turn == seat if known.turn != NATURE else enters
    return SeatView(seat, known, present and mine, known.private_outcomes(eyes) if present else ())


def steps_since(before: HostedGame, hosted: HostedGame, viewer: Viewer) -> Iterator[EntryView]:
    """Yield the entries of a game since `before`."""
    walk = before.copy()
    for entry in hosted.entries[before.version :]:
        position, ply = None if walk.frozen or not entry.moves else walk.position, walk.ply
        walk.add(entry)
        changes = () if position is None else changes_for(viewer, position, entry, walk.position)
        yield EntryView(entry, walk.version, walk.ply, ply, position, changes)


def steps_of_line(hosted: HostedGame, first: int, last: int, viewer: Viewer) -> Iterator[EntryView]:
    """Yield the entries of the current line between two plies, both included."""
    numbers = {id(entry): number for number, entry in enumerate(hosted.entries, 1)}
    first = max(first, 1)
    positions = repeat((None, None)) if hosted.positions is None else pairwise(hosted.positions.since(first - 1))
    for ply, (position, after) in zip(range(first, last + 1), positions, strict=False):
        entry = hosted.line[ply - 1]
        changes = () if position is None or after is None else changes_for(viewer, position, entry, after)
        yield EntryView(entry, numbers[id(entry)], ply, ply - 1, position, changes)


def changes_for(viewer: Viewer, position: State, entry: Entry, after: State) -> Sequence[Change]:
    """Return the changes of an entry as a viewer knows them: by the only seat, otherwise the public ones."""
    eyes = viewer.seats[0] if len(viewer.seats) == 1 else NATURE
    return changes_of(position.observe(eyes), entry.text, after.observe(eyes))


def record_for(hosted: HostedGame, viewer: Viewer) -> Record:
    """Return the record of a game as far as a viewer may know it: complete once the game is over."""
    return hosted.record(None if hosted.over else viewer.seats[0] if viewer.seats else NATURE)
