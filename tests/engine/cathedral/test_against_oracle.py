"""The core and the reference model agree ply by ply: legal actions, odds, the whole position, and the result."""

import pytest

from clerestory.engine import NATURE, Action, Rng, State
from tests.engine.cathedral.oracle import Oracle
from tests.engine.cathedral.oracle_cards import ADVANTAGES, CRAFTSMEN, EVENTS, RESOURCE_CARDS
from tests.engine.cathedral.positions import Core
from tests.engine.models import assert_equal
from tests.shipped import CATHEDRAL


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
