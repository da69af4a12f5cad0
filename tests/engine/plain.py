"""What the plain models of both games have in common; it knows the rules of neither."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar

NATURE, OVER = -1, -2


class PlainGame:
    """A game by its rules, which a subclass names: what may be done, with which odds, and what is then done."""

    colours: ClassVar[Sequence[str]]
    rules: tuple[Callable[[Any], list[str]], Callable[[Any], dict[str, Fraction]], Callable[[Any, str], None]]

    def __init__(self, state: Any) -> None:
        self._state = state

    def turn(self) -> int:
        """The seat to decide, NATURE or OVER."""
        who = self._state.to_act
        if who in self.colours:
            return self.colours.index(who)
        return NATURE if who == "nature" else OVER

    def legal(self) -> list[str]:
        return self.rules[0](self._state)

    def odds(self) -> dict[str, Fraction]:
        """The probability of each outcome at Nature's turn, by public information."""
        return self.rules[1](self._state)

    def play(self, text: str) -> None:
        """Plays a legal action; raises ValueError for any other."""
        if text not in self.legal():
            raise ValueError(f"{text!r} is not legal at step {self._state.step!r} of {self._state.to_act!r}")
        self.rules[2](self._state, text)
