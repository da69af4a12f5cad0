"""The models of the rules that the stories run on: the plain one, and the core behind the same interface."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol

from clerestory.engine import GAMES, State
from tests.engine.duel.oracle import Oracle
from tests.engine.duel.oracle_fields import from_fields
from tests.engine.duel.oracle_state import Position

DUEL = GAMES["duel"]
Fields = dict[str, Any]


class Game(Protocol):
    """What the tests ask of a model of the rules."""

    def turn(self) -> int: ...
    def legal(self) -> list[str]: ...
    def odds(self) -> dict[str, Fraction]: ...
    def play(self, text: str) -> None: ...
    def returns(self) -> list[Fraction]: ...
    def margins(self) -> list[float]: ...
    def position(self) -> Fields: ...
    def table(self) -> Position: ...


NewGame = Callable[[Fields], Game]


class Core:
    """The core behind the plain model's interface."""

    def __init__(self, state: State) -> None:
        self.state = state

    @classmethod
    def from_position(cls, fields: Fields) -> Core:
        envelope = {"rules_revision": DUEL.rules_revision, "catalogue": DUEL.catalogue}
        return cls(DUEL.from_position({**envelope, "duel": fields}))

    def turn(self) -> int:
        return self.state.turn

    def legal(self) -> list[str]:
        return [action.text for action in self.state.legal_actions()]

    def odds(self) -> dict[str, Fraction]:
        odds = (Fraction(odd).limit_denominator(1000) for odd in self.state.odds())
        return dict(zip(self.legal(), odds, strict=True))

    def play(self, text: str) -> None:
        self.state.play(text)

    def returns(self) -> list[Fraction]:
        return [Fraction(share) for share in self.state.returns()]

    def margins(self) -> list[float]:
        return list(self.state.margins())

    def position(self) -> Fields:
        inner: Fields = self.state.to_position()["duel"]
        return inner

    def table(self) -> Position:
        """The same, as the plain model lays it out."""
        return from_fields(self.position())


MODELS: dict[str, NewGame] = {"oracle": Oracle.from_position, "core": Core.from_position}
