"""Finds what an action changed: the difference between two views of one viewer, each part with its cause.

Changes are computed only from the two views and the action, so they reveal nothing else. A game names the fields to
compare, and explains what the difference alone cannot: several causes in one ply, limits, points.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple, Protocol

from clerestory.engine.core import Game, State
from clerestory.engine.positions.layout import Slot


class Change(NamedTuple):
    """A single change.

    Attributes:
        seat: seat of the change; None for none.
        thing: field of the position, or a game-specific name such as `points`.
        item: card, chip, seal or place; "" if the thing has no parts, or the viewer does not know it.
        amount: size of the change; +1 or -1 for a card.
        cause: a code of the game: `tax`; "" if unknown.
        card: the card that caused it, "" for none.
        lost: how much larger it would have been without a limit.
    """

    seat: int | None
    thing: str
    item: str
    amount: int
    cause: str = ""
    card: str = ""
    lost: int = 0

    @property
    def key(self) -> tuple[int | None, str, str]:
        """What changed, without the amount and the cause."""
        return self.seat, self.thing, self.item


class View:
    """A position as one viewer knows it; fields are decoded on demand.

    Attributes:
        state: the observed position.
        slots: its fields by path.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        layout = state.game.layout
        plan = layout.plans[state.seats]
        self._layout, self._numbers = layout, plan.codec.unpack(state.to_bytes())
        self.slots = layout.by_path[state.seats]

    def raw(self, slot: Slot) -> Sequence[int]:
        """Return the numbers of a field."""
        return slot.take(self._numbers)

    def __getitem__(self, path: str) -> Any:
        """Return the value of a field by its path: `players[0].gold`."""
        slot = self.slots[path]
        return self._layout.read(slot, self.raw(slot), self.state.seats)

    @cached_property
    def fields(self) -> dict[str, Any]:
        """All fields."""
        fields: dict[str, Any] = self.state.to_position()[self.state.game.name]
        return fields


class Consequences(Protocol):
    """How a game explains changes: `engine/<game>/changes.py`."""

    THINGS: Sequence[str]  # fields to compare, of the position and of players
    SCORED: str  # the thing that is the score, "" if a position alone shows where it came from
    ACCOUNTS: Sequence[str]  # fields of players; at least one changes whenever points are won or lost

    def explained(self, before: View, action: str, after: View, /) -> list[Change]:
        """Return the changes with causes that the difference does not show, in order."""

    def cause(self, before: View, action: str, after: View, change: Change, /) -> tuple[str, str]:
        """Return cause and card of a change not in `explained`; `("-", "")` for one that is not worth reporting."""


UNTOLD = "-"  # the cause of changes that are not worth reporting


def changes(before: State, action: str, after: State, rules: Consequences) -> list[Change]:
    """Return what an action changed for a viewer.

    Args:
        before: the viewer's view before the action.
        action: text of the action.
        after: the viewer's view after the action.
        rules: the game's explanations.
    """
    first, last = View(before), View(after)
    explained = rules.explained(first, action, last)
    rest = Counter({change.key: change.amount for change in differences(first, last, rules.THINGS)})
    for change in explained:
        if change.thing in rules.THINGS:
            rest[change.key] -= change.amount
    found = [change for change in explained if change.amount or change.lost]
    for (seat, thing, item), amount in rest.items():
        change = Change(seat, thing, item, amount)
        if amount and (cause := rules.cause(first, action, last, change))[0] != UNTOLD:
            found.append(Change(seat, thing, item, amount, *cause))
    return found


def differences(before: View, after: View, things: Sequence[str]) -> Iterator[Change]:
    """Yield the differences of the compared fields, by seat."""
    for slot in compared_slots(before.state.game, before.state.seats, things):
        if before.raw(slot) != after.raw(slot):
            yield from between(slot, before[slot.path], after[slot.path])


@cache
def compared_slots(game: Game, seats: int, things: Sequence[str]) -> list[Slot]:
    """Return the fields to compare."""
    return [slot for slot in game.layout.by_path[seats].values() if slot.name in things]


def between(slot: Slot, before: Any, after: Any) -> Iterable[Change]:
    """Return the differences of two values of a field."""
    seat = None if slot.owner < 0 else slot.owner
    if isinstance(before, dict):
        return [Change(seat, slot.name, item, after[item] - before[item]) for item in before]
    if isinstance(before, list):
        counts = Counter(map(named, after))
        counts.subtract(map(named, before))
        return [Change(seat, slot.name, item, amount) for item, amount in counts.items() if amount]
    return [Change(seat, slot.name, "", after - before)]


def named(item: Any) -> str:
    """Return the name of a list item, "" for one that the viewer does not know."""
    return str(item) if item else ""


def totals(all_changes: Iterable[Change]) -> list[Change]:
    """Return changes summed by what changed and why, in their first order."""
    sums: dict[Any, Change] = {}
    for change in all_changes:
        key = (*change.key, change.cause, change.card)
        known = sums.get(key)
        more = (known.amount, known.lost) if known else (0, 0)
        sums[key] = change._replace(amount=change.amount + more[0], lost=change.lost + more[1])
    return [change for change in sums.values() if change.amount or change.lost]
