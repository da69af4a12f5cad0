"""A second model of Builders Duel, written from the rules alone: slow and simple, the reference for the fast core."""

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
        """Read the inner position of RULES.md section 4, with all fields present, and orders known or `[]`."""
        return cls(from_fields(fields))

    def position(self) -> dict[str, Any]:
        return to_fields(self._state)

    def table(self) -> Position:
        """The position; read-only."""
        return self._state

    def returns(self) -> list[Fraction]:
        """Return the win share of each seat at the end: the third section wins, else points decide, and Philip last."""
        s = self._state
        red, blue = (_standing(player) for player in s.players.values())
        won = s.winner() or ("red" if red > blue else "blue")
        return [Fraction(colour == won) for colour in COLOURS]

    def margins(self) -> list[float]:
        """Return the points of each seat minus the other's."""
        red, blue = (_points(player) for player in self._state.players.values())
        return [red - blue, blue - red]


def _points(player: Player) -> float:
    """Return the ranking at the end as points, for margins (D46)."""
    return 10 * player.sections() + player.materials() + player.gold / 100


def _standing(player: Player) -> tuple[int, int, int]:
    """Return the criteria compared after phase 4, the most important first."""
    return player.sections(), player.materials(), player.gold
