"""The core and a second model agree ply by ply: legal actions, odds, the whole position, and the result.

That model is written from the rules alone: slow and simple, the reference for the fast core. It shares nothing with it:
it has its own card values (`oracle_cards`), its position is one dataclass (`oracle_state`), and each step has one
function for its legal actions and one for their effects (`oracle_legal`, `oracle_play`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from clerestory.engine import NATURE, Action, Rng, State
from tests.engine.cathedral import oracle_legal, oracle_play
from tests.engine.cathedral.oracle_cards import ADVANTAGES, COLOURS, CRAFTSMEN, EVENTS, RESOURCE_CARDS
from tests.engine.cathedral.oracle_state import Position
from tests.engine.cathedral.positions import Core
from tests.engine.models import PlainGame, assert_equal
from tests.shipped import CATHEDRAL


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


def random_action(state: State, rng: Rng) -> Action:
    """Return any legal action; occasionally Nature reveals a card that was not dealt."""
    legal = state.legal_actions()
    return state.draw(rng) if state.turn == NATURE and rng.below(4) else legal[rng.below(len(legal))]


def compare_game(seats: int, seed: int) -> set[str]:
    """Play one random game on both; return the words of its actions."""
    rng, core, words = Rng(seed), Core(CATHEDRAL.new(seats, seed)), set[str]()
    oracle = Oracle.from_position(core.position())
    assert_equal(core, oracle)
    while not core.state.over:
        action = random_action(core.state, rng).text
        words.update(action.split())
        core.play(action)
        oracle.play(action)
        assert_equal(core, oracle)
    return words


def test_random_games_agree_and_use_every_card() -> None:
    words = set[str]().union(*(compare_game(seats, seed) for seats in CATHEDRAL.seats for seed in range(8)))
    assert {*CRAFTSMEN, *RESOURCE_CARDS, *ADVANTAGES, *EVENTS} - words == set()


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seats", CATHEDRAL.seats)
@pytest.mark.parametrize("part", range(8))
def test_two_thousand_random_games(seats: int, part: int) -> None:
    for seed in range(1000 + 250 * part, 1000 + 250 * (part + 1)):
        compare_game(seats, seed)
