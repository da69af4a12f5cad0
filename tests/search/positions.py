"""Positions for the tests of the search."""

from typing import Any

from clerestory.engine import NATURE, Rng, State
from clerestory.engine.core import Game
from clerestory.engine.toy.rules import TOY
from clerestory.search.ismcts import Searcher
from clerestory.search.result import Result
from clerestory.search.root import observe


def decisions(game: Game, seats: int, seed: int) -> list[State]:
    """Return every position of one random game in which a seat decides, with hidden cards."""
    rng, state, found = Rng(seed), game.new(seats, seed), []
    while not state.over:
        if state.turn == NATURE:
            state.play(state.draw(rng))
        else:
            found.append(state.copy())
            legal = state.legal_codes()
            state.play(legal[rng.below(len(legal))])
    return found


def some_decisions(game: Game, seats: int, seed: int, number: int) -> list[State]:
    """Return about that many of a game's decisions, from beginning to end."""
    met = decisions(game, seats, seed)
    return met[:: 1 + len(met) // number]


def last_round(
    *, prize: int, seen: list[int], players: list[tuple[int, int, list[int]]], moved: int, feast: bool = False
) -> State:
    """Return the second round of `toy` for two: points, card played (0 for none) and hand (0 for unknown) by player."""
    seats = [{"points": points, "played": played, "hand": hand} for points, played, hand in players]
    fields = {"round": 2, "step": "play", "moved": moved, "prize": prize, "feast": feast, "seen": seen, "deck": []}
    return TOY.from_position({"rules_revision": 1, "toy": {**fields, "players": seats}})


def search(position: State, iterations: int, *, seed: int = 1, **options: Any) -> Result:
    return Searcher(observe(position), seed=seed, **options).run(iterations=iterations)


def sole_decision(game: Game) -> State:
    found = (position for seed in range(20) for position in decisions(game, 2, seed))
    return next(position for position in found if len(position.legal_codes()) == 1)
