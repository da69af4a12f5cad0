"""The core and the plain model agree ply by ply: legal actions, odds, the whole position, and the result."""

from fractions import Fraction
from typing import Any

import pytest

from clerestory.engine import GAMES, NATURE, Rng, State
from tests.engine.cathedral.oracle import Oracle

CATHEDRAL = GAMES["cathedral"]


def fields(state: State) -> dict[str, Any]:
    inner: dict[str, Any] = state.to_position()["cathedral"]
    return inner


def assert_equal(state: State, oracle: Oracle) -> None:
    """Compare everything there is to know of one position."""
    assert state.turn == oracle.turn()
    assert fields(state) == oracle.position()
    legal = [action.text for action in state.legal_actions()]
    assert sorted(legal) == sorted(oracle.legal())
    if state.turn == NATURE:
        odds = {text: Fraction(odd).limit_denominator(1000) for text, odd in zip(legal, state.odds(), strict=True)}
        assert odds == oracle.odds()
    if state.over:
        assert [Fraction(share).limit_denominator(12) for share in state.returns()] == oracle.returns()
        assert list(state.margins()) == oracle.margins()


def compare_game(seats: int, seed: int) -> None:
    """Play one random game on both; now and then Nature brings up what was not dealt."""
    rng, state = Rng(seed), CATHEDRAL.new(seats, seed)
    oracle = Oracle.from_position(fields(state))
    assert_equal(state, oracle)
    while not state.over:
        legal = state.legal_actions()
        action = state.draw(rng) if state.turn == NATURE and rng.below(4) else legal[rng.below(len(legal))]
        state.play(action)
        oracle.play(action.text)
        assert_equal(state, oracle)


@pytest.mark.parametrize("seats", CATHEDRAL.seats)
@pytest.mark.parametrize("seed", range(12))
def test_random_games(seats: int, seed: int) -> None:
    compare_game(seats, seed)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seats", CATHEDRAL.seats)
@pytest.mark.parametrize("part", range(8))
def test_two_thousand_random_games(seats: int, part: int) -> None:
    for seed in range(1000 + 250 * part, 1000 + 250 * (part + 1)):
        compare_game(seats, seed)
