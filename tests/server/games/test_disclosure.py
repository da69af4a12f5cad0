"""What actions show: hidden cards of a hand, and nothing in games in which only chance events reveal."""

from itertools import pairwise

import pytest

from clerestory.engine import GAMES, NATURE
from clerestory.server.games.disclosure import shows
from tests.laws import walk


def told(game: str, seats: int, seed: int) -> set[tuple[str, bool]]:
    """Return which kinds of actions of a game, and of whom, show something: to seat 0 by itself or by another."""
    states = (state.copy(history=True) for state in walk(GAMES[game], seats, seed))
    found = set()
    for before, after in pairwise(states):
        if before.turn != NATURE:
            text = after.history[-1].text
            if shows(before, text, after, 0):
                found.add((text.split()[0], before.turn == 0))
    return found


@pytest.mark.parametrize(("game", "seats"), [("cathedral", 2), ("cathedral", 4), ("duel", 2)])
def test_nothing_but_chance_reveals_in_games_without_hands(game: str, seats: int) -> None:
    assert told(game, seats, 1) == set()


def test_a_card_of_a_hand_is_shown_to_others_alone_and_a_pass_shows_nothing() -> None:
    assert set().union(*(told("toy", 3, seed) for seed in range(20))) == {("play", False)}
