"""Plays games of the shipped search against itself, as a source of decisions for tools.

The stream that shuffled the cards also provides the luck of these games. Tools that use them must not learn from
results, as `arena.match.nature_of` explains: they judge positions by searches, which know nothing of the stream. The
seeds in tests/search/searched-*.jsonl and docs/benchmarks.md thus keep identifying the same games.
"""

from collections.abc import Iterator
from typing import Any

from clerestory.engine import GAMES, Rng, State
from clerestory.search.arena import match
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from clerestory.search.result import Result
from clerestory.search.root import observe


def searched(position: State, iterations: int, seed: int, max_bytes: int = 1 << 28, **options: Any) -> Result:
    """Return the result of the shipped search for a position, with other values for some options."""
    chosen = {**shipped(position.game, position.seats), **options}
    return Searcher(observe(position), seed=seed, max_bytes=max_bytes, **chosen).run(iterations=iterations)


def decisions(
    game: str, seats: int, seed: int, *, sparse: int, move: int, max_bytes: int
) -> Iterator[tuple[State, Rng]]:
    """Yield one in `sparse` decisions with a choice of a game, with the game's random generator.

    Args:
        game: name of the game.
        seats: number of players.
        seed: seed of the game.
        sparse: one in this many decisions with a choice is taken.
        move: iterations per move.
        max_bytes: maximum size of the tree of a move.
    """
    state, rng = GAMES[game].new(seats, seed), Rng(seed)
    for _ in match.decisions(state, rng):
        if len(state.legal_codes()) > 1 and rng.below(sparse) == 0:
            yield state, rng
        state.play(searched(state, move, rng.next(), max_bytes).best.action)
