"""The goods of a player that a position can have more or fewer of, declared by each game as changes of fields."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from clerestory.engine.errors import BadPosition


class Way(NamedTuple):
    """Changes of fields that give a player a good, and keep the position consistent.

    Attributes:
        own: numbers to add to fields of the player, by path: `gold`, `camp.wood`.
        table: numbers to add to fields of the position, by path: `supply.wood`.
    """

    own: Mapping[str, int]
    table: Mapping[str, int] = {}


class Good(NamedTuple):
    """A good of a player.

    Attributes:
        name: ID, as in positions and texts.
        ways: alternatives; the first one that leads to a valid position is used.
        amount: how much of the good each way adds.
    """

    name: str
    ways: tuple[Way, ...]
    amount: int = 1


def with_more(view: Any, seat: int, good: Good) -> tuple[int, Any] | None:
    """Return how much of a good a seat can have in addition, and the position with it.

    The amount is negative if the seat can only have less. Returns None if it can have neither more nor less.

    Args:
        view: a position (State); hidden information stays hidden.
        seat: the seat.
        good: a good of the game.
    """
    for sign in (1, -1):
        for way in good.ways:
            fields = changed(view.to_position(), view.game.name, seat, way, sign)
            try:
                return sign * good.amount, view.game.from_position(fields)
            except BadPosition:
                continue
    return None


def changed(position: dict[str, Any], game: str, seat: int, way: Way, sign: int) -> dict[str, Any]:
    """Return the position with a way applied, in place; with the sign -1, reversed."""
    owner = position[game]
    for fields, changes in ((owner["players"][seat], way.own), (owner, way.table)):
        for path, more in changes.items():
            *outer, name = path.split(".")
            inner = fields
            for step in outer:
                inner = inner[step]
            inner[name] += sign * more
    return position


def strangers(goods: Sequence[Good], own: Sequence[str], table: Sequence[str]) -> Iterator[str]:
    """Yield the paths whose first names are no fields of a player or of the position."""
    for good in goods:
        for way in good.ways:
            yield from (path for path in way.own if path.split(".")[0] not in own)
            yield from (path for path in way.table if path.split(".")[0] not in table)
