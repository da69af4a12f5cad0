"""Measures whether a hint before a move helps: a hint and a move on a warm tree against a cold move, in equal time.

    python -m lab.warm GAME --ms 50 --deals 10

One player searches each of its decisions twice on a tree of WARM_BYTES, which it keeps through the game as a server
does for a `game_id`: first for the hint, then for the move. The other player searches once, on a new tree of
DEFAULT_MAX_BYTES. Both play both seats of every deal.
"""

import argparse
import sys
from statistics import mean

from clerestory.arena.bots import Move
from clerestory.arena.match import ChooseMove, play_between
from clerestory.arena.statistics import score_interval
from clerestory.engine import GAMES, State
from clerestory.search.ismcts import Searcher
from clerestory.search.limits import DEFAULT_MAX_BYTES
from clerestory.search.options import shipped
from clerestory.search.result import Result
from clerestory.search.root import observe

WARM_BYTES = 32 << 20  # of a tree kept by a server with default settings


def new_search(view: State, seed: int, max_bytes: int = DEFAULT_MAX_BYTES) -> Searcher:
    return Searcher(observe(view), seed=seed, max_bytes=max_bytes, **shipped(view.game, view.seats))


def move(result: Result) -> Move:
    return Move(result.best.action, result.iterations, result.elapsed)


def cold(seconds: float) -> ChooseMove:
    """Decide by one search on a new tree."""
    return lambda view, seed: move(new_search(view, seed).run(seconds=seconds, early=True))


def warm(seconds: float, reused: list[float]) -> ChooseMove:
    """Decide by a hint and a move on a kept tree; append the share of each hint's visits that were reused."""
    kept: list[Searcher] = []

    def choose(view: State, seed: int) -> Move:
        if kept:
            kept[0].advance(observe(view))
        else:
            kept.append(new_search(view, seed, WARM_BYTES))
        hint = kept[0].run(seconds=seconds)
        reused.append(hint.reused_iterations / (hint.reused_iterations + hint.iterations))
        kept[0].advance(observe(view))
        return move(kept[0].run(seconds=seconds, early=True))

    return choose


def play(game: str, seconds: float, deals: int, seed: int) -> None:
    """Play the deals, and print the figures after each of them."""
    scores, reused = [], list[float]()
    for deal in range(seed, seed + deals):
        won = []
        for seat in (0, 1):
            players = [warm(seconds, reused) if here == seat else cold(seconds) for here in (0, 1)]
            result = play_between(players, GAMES[game], deal, seat)
            if result is not None:
                won.append(result.returns[seat])
        scores.append(mean(won))
        share = score_interval(scores)
        figures = f"{share.mean:.3f} [{share.low:.3f}, {share.high:.3f}]"
        sys.stdout.write(f"{len(scores)} deals: warm {figures}; {mean(reused):.2f} of a hint's visits are older\n")
        sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("--ms", type=float, default=50, help="of each search")
    parser.add_argument("--deals", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    play(options.game, options.ms / 1e3, options.deals, options.seed)


if __name__ == "__main__":
    main()
