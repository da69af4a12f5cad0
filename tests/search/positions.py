"""Positions for the tests of the search."""

from clerestory.engine import NATURE, Rng, State
from clerestory.engine.core import Game


def decisions(game: Game, seats: int, seed: int) -> list[State]:
    """Every position of one random game in which a seat decides, truth included."""
    rng, state, found = Rng(seed), game.new(seats, seed), []
    while not state.over:
        if state.turn == NATURE:
            state.play(state.draw(rng))
        else:
            found.append(state.copy())
            legal = state.legal_codes()
            state.play(legal[rng.below(len(legal))])
    return found
