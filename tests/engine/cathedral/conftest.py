"""The models of the rules that the tests of this folder run on: the plain one and the core."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from clerestory.engine import GAMES, State
from tests.engine.cathedral.oracle import Oracle
from tests.engine.cathedral.positions import NewGame

CATHEDRAL = GAMES["cathedral"]


class Core:
    """The core behind the plain model's interface."""

    def __init__(self, state: State) -> None:
        self._state = state

    @classmethod
    def from_position(cls, fields: dict[str, Any]) -> Core:
        envelope = {"rules_revision": CATHEDRAL.rules_revision, "catalogue": CATHEDRAL.catalogue}
        return cls(CATHEDRAL.from_position({**envelope, "cathedral": fields}))

    def position(self) -> dict[str, Any]:
        inner: dict[str, Any] = self._state.to_position()["cathedral"]
        return inner

    def seen_by(self, seat: int) -> dict[str, Any]:
        inner: dict[str, Any] = self._state.observe(seat).to_position()["cathedral"]
        return inner

    def copy(self) -> Core:
        return Core(self._state.copy())

    def turn(self) -> int:
        return self._state.turn

    def legal(self) -> list[str]:
        return [action.text for action in self._state.legal_actions()]

    def odds(self) -> dict[str, Fraction]:
        odds = (Fraction(odd).limit_denominator(1000) for odd in self._state.odds())
        return dict(zip(self.legal(), odds, strict=True))

    def play(self, text: str) -> None:
        self._state.play(text)

    def returns(self) -> list[Fraction]:
        return [Fraction(share).limit_denominator(12) for share in self._state.returns()]

    def margins(self) -> list[int]:
        return [int(margin) for margin in self._state.margins()]


MODELS: dict[str, NewGame] = {"oracle": Oracle.from_position, "core": Core.from_position}


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> NewGame:
    """Makes a game from the inner position of RULES.md section 4."""
    return MODELS[request.param]
