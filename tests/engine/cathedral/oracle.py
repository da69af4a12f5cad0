"""A second model of the board game, written from the rules alone: slow and simple, the reference for the fast core.

It shares nothing with the core: it has its own card values (`oracle_cards`), its position is one dataclass
(`oracle_state`), and each step has one function for its legal actions and one for their effects (`oracle_legal`,
`oracle_play`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.engine.cathedral import oracle_legal, oracle_play
from tests.engine.cathedral.oracle_cards import COLOURS
from tests.engine.cathedral.oracle_state import Position
from tests.engine.models import PlainGame


class Oracle(PlainGame):
    """One game: ask `turn` and `legal`, then `play`, until `turn` says that it is over."""

    colours = COLOURS
    rules = (oracle_legal.legal, oracle_legal.odds, oracle_play.play)

    @classmethod
    def from_position(cls, fields: dict[str, Any]) -> Oracle:
        """Read the inner position of RULES.md section 4, with all fields present, and decks known or `[]`."""
        return cls(Position.from_dict(fields))

    def position(self) -> dict[str, Any]:
        return self._state.to_dict()

    def returns(self) -> list[Fraction]:
        """Return the win share of each seat at the end: most VP, then most gold, then shared (R11)."""
        results = [(player.vp, player.gold) for player in self._state.players]
        winners = results.count(max(results))
        return [Fraction(1, winners) if result == max(results) else Fraction(0) for result in results]

    def margins(self) -> list[int]:
        """Return the VP of each seat minus the best other seat's."""
        points = [player.vp for player in self._state.players]
        return [own - max(points[:seat] + points[seat + 1 :]) for seat, own in enumerate(points)]
