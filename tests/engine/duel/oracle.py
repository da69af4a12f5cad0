"""A second model of Builders Duel, written from the rules alone: slow, plain, and the judge of the fast core."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.engine.duel import oracle_legal, oracle_play
from tests.engine.duel.oracle_cards import COLOURS
from tests.engine.duel.oracle_fields import from_fields, to_fields
from tests.engine.duel.oracle_state import Player, Position
from tests.engine.models import PlainGame


class Oracle(PlainGame):
    """One game: ask `turn` and `legal`, then `play`, until `turn` says that it is over."""

    colours = COLOURS
    rules = (oracle_legal.legal, oracle_legal.odds, oracle_play.play)

    @classmethod
    def from_position(cls, fields: dict[str, Any]) -> Oracle:
        """Reads the inner position of RULES.md section 4, all fields present, orders known or `[]`."""
        return cls(from_fields(fields))

    def position(self) -> dict[str, Any]:
        return to_fields(self._state)

    def table(self) -> Position:
        """What lies where; not to be changed."""
        return self._state

    def returns(self) -> list[Fraction]:
        """The win share of each seat at the end: the third section wins, else the order of points, Philip last."""
        s = self._state
        red, blue = (_standing(player) for player in s.players.values())
        won = s.winner() or ("red" if red > blue else "blue")
        return [Fraction(colour == won) for colour in COLOURS]

    def margins(self) -> list[float]:
        """The points of each seat less the other's."""
        red, blue = (_points(player) for player in self._state.players.values())
        return [red - blue, blue - red]


def _points(player: Player) -> float:
    """The order at the end as points, for margins (D46)."""
    return 10 * player.sections() + player.materials() + player.gold / 100


def _standing(player: Player) -> tuple[int, int, int]:
    """What is compared after phase 4, the most telling first."""
    return player.sections(), player.materials(), player.gold
