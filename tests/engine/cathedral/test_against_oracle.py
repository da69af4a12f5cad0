"""The core and the plain model agree ply by ply: legal actions, odds, the whole position, and the result."""

from fractions import Fraction
from typing import Any

import pytest

from clerestory.engine import GAMES, NATURE, Action, Rng, State
from tests.engine.cathedral.oracle import Oracle

CATHEDRAL = GAMES["cathedral"]
GAMES_OF_A_COUNT = 12


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


def random_action(state: State, rng: Rng) -> Action:
    """Any legal action; now and then Nature brings up what was not dealt."""
    legal = state.legal_actions()
    return state.draw(rng) if state.turn == NATURE and rng.below(4) else legal[rng.below(len(legal))]


def compare_game(seats: int, seed: int) -> None:
    """Play one random game on both."""
    rng, state = Rng(seed), CATHEDRAL.new(seats, seed)
    oracle = Oracle.from_position(fields(state))
    assert_equal(state, oracle)
    while not state.over:
        action = random_action(state, rng)
        state.play(action)
        oracle.play(action.text)
        assert_equal(state, oracle)


@pytest.mark.parametrize("seats", CATHEDRAL.seats)
@pytest.mark.parametrize("seed", range(GAMES_OF_A_COUNT))
def test_random_games(seats: int, seed: int) -> None:
    compare_game(seats, seed)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seats", CATHEDRAL.seats)
@pytest.mark.parametrize("part", range(8))
def test_two_thousand_random_games(seats: int, part: int) -> None:
    for seed in range(1000 + 250 * part, 1000 + 250 * (part + 1)):
        compare_game(seats, seed)
