"""The interface of a model of a game's rules for tests, and the core behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Protocol, Self

from clerestory.engine import Game as Rules
from clerestory.engine import State

Fields = dict[str, Any]


class Game(Protocol):
    """A game, as the plain models and the core play it; `NewGame` makes one from the position of RULES.md section 4."""

    def turn(self) -> int: ...
    def legal(self) -> list[str]: ...
    def odds(self) -> dict[str, Fraction]: ...
    def play(self, text: str) -> None: ...
    def returns(self) -> list[Fraction]: ...
    def margins(self) -> Sequence[float]: ...
    def position(self) -> Fields: ...
    def seen_by(self, seat: int) -> Fields: ...  # in the board game
    def table(self) -> Any: ...  # in the card game, whose plain model lays the position out


NewGame = Callable[[Fields], Game]


class CoreGame:
    """The core behind the plain models' interface; a subclass names its rules."""

    rules: ClassVar[Rules]

    def __init__(self, state: State) -> None:
        self.state = state

    @classmethod
    def from_position(cls, fields: Fields) -> Self:
        """A game that goes on from the inner position of RULES.md section 4."""
        head = {"rules_revision": cls.rules.rules_revision, "catalogue": cls.rules.catalogue}
        return cls(cls.rules.from_position({**head, cls.rules.name: fields}))

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
        return [Fraction(share).limit_denominator(12) for share in self.state.returns()]

    def margins(self) -> Sequence[float]:
        return list(self.state.margins())

    def position(self) -> Fields:
        inner: Fields = self.state.to_position()[self.rules.name]
        return inner

    def seen_by(self, seat: int) -> Fields:
        inner: Fields = self.state.observe(seat).to_position()[self.rules.name]
        return inner
