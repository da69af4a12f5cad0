"""The common base of the reference models of both games, and the core behind the same interface."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Self

import pytest

from clerestory.engine import Game as Rules
from clerestory.engine import State

NATURE, OVER = -1, -2
Fields = dict[str, Any]


class PlainGame:
    """A game according to its rules, which a subclass provides: legal actions, their odds and their effects."""

    colours: ClassVar[Sequence[str]]
    rules: tuple[Callable[[Any], list[str]], Callable[[Any], dict[str, Fraction]], Callable[[Any, str], None]]

    def __init__(self, state: Any) -> None:
        self._state = state

    def turn(self) -> int:
        """Return the seat to decide, NATURE or OVER."""
        who = self._state.to_act
        if who in self.colours:
            return self.colours.index(who)
        return NATURE if who == "nature" else OVER

    def legal(self) -> list[str]:
        return self.rules[0](self._state)

    def odds(self) -> dict[str, Fraction]:
        """Return the probability of each outcome at Nature's turn, given public information."""
        return self.rules[1](self._state)

    def play(self, text: str) -> None:
        """Play a legal action. Raises ValueError for any other."""
        if text not in self.legal():
            raise ValueError(f"{text!r} is not legal at step {self._state.step!r} of {self._state.to_act!r}")
        self.rules[2](self._state, text)


class CoreGame:
    """One game; a subclass names its rules."""

    rules: ClassVar[Rules]

    def __init__(self, state: State) -> None:
        self.state = state

    @classmethod
    def from_position(cls, fields: Fields) -> Self:
        """Return a game that continues from the inner position of RULES.md section 4."""
        head = {"rules_revision": cls.rules.rules_revision, "catalogue": cls.rules.catalogue}
        return cls(cls.rules.from_position({**head, cls.rules.name: fields}))

    def turn(self) -> int:
        return self.state.turn

    def legal(self) -> list[str]:
        return [action.text for action in self.state.legal_actions()]

    def offered(self, verb: str = "") -> set[str]:
        return {text for text in self.legal() if verb in ("", text.split()[0])}

    def odds(self) -> dict[str, Fraction]:
        odds = (Fraction(odd).limit_denominator(1000) for odd in self.state.odds())
        return dict(zip(self.legal(), odds, strict=True))

    def play(self, text: str) -> None:
        self.state.play(text)

    def returns(self) -> list[Fraction]:
        return [Fraction(share).limit_denominator(12) for share in self.state.win_shares()]

    def margins(self) -> Sequence[float]:
        return list(self.state.margins())

    def position(self) -> Fields:
        inner: Fields = self.state.to_position()[self.rules.name]
        return inner


def assert_equal(core: CoreGame, plain: Any) -> None:
    """Compare all properties of one position."""
    assert core.turn() == plain.turn()
    assert core.position() == plain.position()
    assert sorted(core.legal()) == sorted(plain.legal())
    if core.turn() == NATURE:
        assert core.odds() == plain.odds()
    if core.state.over:
        assert core.returns() == plain.returns()
        assert core.margins() == pytest.approx(plain.margins(), abs=1e-9)
