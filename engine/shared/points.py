"""The sources of a player's points, and what breaks ties: declared by each game, read from the fields of a position."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Player = Mapping[str, Any]  # fields of a player


class Source(NamedTuple):
    """A source of points.

    Attributes:
        name: its code.
        fields: fields of a player that are added: a number, or a list by its length.
        factor: points for each.
        per: divides the points.
        full: length of a list that counts as one, while shorter ones count nothing; 0 for no such length.
        constant: points that every player has.
    """

    name: str
    fields: Sequence[str] = ()
    factor: int = 1
    per: int = 1
    full: int = 0
    constant: int = 0

    def points(self, player: Player) -> float:
        """Return the points of a player from this source."""
        total = 0
        for name in self.fields:  # without generators, because every position that is read is checked
            value = player[name]
            count = len(value) if isinstance(value, list) else int(value)
            total += count == self.full if self.full else count
        points = self.factor * total + self.constant
        return points / self.per if self.per > 1 else points


class TieBreak(NamedTuple):
    """What decides between equal points.

    Attributes:
        field: field of a player; the most wins. A source of the same name does not count as points here.
        last: what decides if that is equal, too: `shared`, `seat`.
    """

    field: str
    last: str

    def decides(
        self, players: Sequence[Mapping[str, Any]], sources: Sequence[Source]
    ) -> tuple[str, list[float]] | None:
        """Return what breaks the tie of players, as a code and the values compared; None without a tie."""
        counted = [source for source in sources if source.name != self.field]
        points = [sum(source.points(player) for source in counted) for player in players]
        values = [player[self.field] for player in players]
        tied = [value for value, one in zip(values, points, strict=True) if one == max(points)]
        if len(tied) == 1:
            return None
        return (self.last, []) if tied.count(max(tied)) > 1 else (self.field, values)
