"""The strength of the levels, on one Elo scale with bots that do not learn: two players, paired deals.

    python -m tools.lab.ladder play GAME --deals N --out FILE [--rungs 30/3,120/1.3,...]
    python -m tools.lab.ladder fit FILE

A rung is `iterations/noise`, as in Tuning.levels, which is the default. Every rung plays the next NEAR rungs above it
and the anchors, which are other bots (`--anchors greedy,ismcts@1000it`, a budget after @); anchors also play each
other. `fit` finds the ratings that explain all games best (Bradley and Terry), with ANCHOR at its fixed rating, and
95 % intervals by resampling deals.
"""

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from clerestory.engine import GAMES, State
from clerestory.engine.tuning import Level
from clerestory.search.arena.bots import Budget, Move, parse_bot
from clerestory.search.arena.match import ChooseMove, play_between
from clerestory.search.ismcts import Searcher
from clerestory.search.levels import choose_line
from clerestory.search.options import shipped
from clerestory.search.root import observe
from clerestory.search.training.columns import Array
from tools.lab.commands import play_and, run
from tools.lab.json_lines import gathered, play_deals

ANCHOR, FIXED = "greedy", 1000.0  # Elo
ANCHORS = "greedy,expectimax"
NEAR = 2
DRAWS = 300  # resamples of the deals for the intervals
RIDGE = 1e-6  # keeps the rating of a player who won or lost every game finite


# -- playing ---------------------------------------------------------------------------------------


def by_level(view: State, seed: int, level: Level) -> Move:
    """Decide like a level of play."""
    searcher = Searcher(observe(view), seed=seed, max_bytes=1 << 26, **shipped(view.game, view.seats))
    result = searcher.run(iterations=level.iterations)
    return Move(choose_line(result.lines, level, seed).action, result.iterations, result.elapsed)


def player(name: str) -> ChooseMove:
    """Return the player with a name: a rung, or a bot with a budget."""
    if "/" in name:
        iterations, noise = name.split("/")
        return partial(by_level, level=Level(int(iterations), float(noise)))
    bot, _, budget = name.partition("@")
    return partial(parse_bot(bot).choose, budget=Budget.parse(budget or "1it"))


def pairs(rungs: Sequence[str], anchors: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of players to be played."""
    near = [pair for pair in combinations(range(len(rungs)), 2) if pair[1] - pair[0] <= NEAR]
    meetings = [(rungs[a], rungs[b]) for a, b in near]
    return meetings + [(rung, anchor) for rung in rungs for anchor in anchors] + list(combinations(anchors, 2))


def meet(game: str, a: str, b: str, deal: int) -> dict[str, Any]:
    """Play a deal in both seatings; return A's share of it."""
    won = []
    for seat in (0, 1):
        players = [player(a), player(b)] if seat == 0 else [player(b), player(a)]
        result = play_between(players, GAMES[game], deal, seat)
        assert result is not None
        won.append(result.returns[seat])
    return {"game": game, "a": a, "b": b, "deal": deal, "score": fmean(won)}


def play(game: str, deals: range, rungs: Sequence[str], anchors: Sequence[str], out: Path) -> None:
    """Play the deals that are not in the file, and append their results one by one."""
    play_deals("tools.lab.ladder", game, deals, pairs(rungs, anchors), meet, out)


# -- ratings ---------------------------------------------------------------------------------------


def ratings(a: Array, b: Array, scores: Array, players: int, fixed: int) -> Array:
    """Return the Elo ratings that explain the scores best, by Newton's method, with that of `fixed` at FIXED.

    Args:
        a: number of the first player of each deal (N).
        b: number of the second player (N).
        scores: scores of the first player, 0 to 1 (N).
        players: number of players.
        fixed: number of the player whose rating is known.
    """
    strength = np.zeros(players)
    for _ in range(50):
        expected = 1 / (1 + np.exp(strength[b] - strength[a]))
        off, curve = scores - expected, expected * (1 - expected)
        slope = np.bincount(a, off, players) - np.bincount(b, off, players) - RIDGE * strength
        bend = np.diag(np.bincount(a, curve, players) + np.bincount(b, curve, players) + RIDGE)
        np.add.at(bend, (a, b), -curve)
        np.add.at(bend, (b, a), -curve)
        strength += np.clip(np.linalg.solve(bend, slope), -2, 2)
    rated: Array = FIXED + (strength - strength[fixed]) * 400 / np.log(10)
    return rated


def fit(lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a table of the players, weakest first."""
    names = sorted({line[side] for line in lines for side in "ab"})
    a, b = (np.array([names.index(line[side]) for line in lines]) for side in "ab")
    scores, fixed = np.array([line["score"] for line in lines]), names.index(ANCHOR)
    found = ratings(a, b, scores, len(names), fixed)
    luck, deals = np.random.default_rng(1), np.array([line["deal"] for line in lines])
    of_deal = [np.flatnonzero(deals == deal) for deal in np.unique(deals)]  # all pairs play the same deals
    drawn = (luck.integers(len(of_deal), size=len(of_deal)) for _ in range(DRAWS))
    draws = [np.concatenate([of_deal[deal] for deal in some]) for some in drawn]
    spread = np.array([ratings(a[rows], b[rows], scores[rows], len(names), fixed) for rows in draws])
    low, high = np.percentile(spread, (2.5, 97.5), axis=0)
    yield "| player | Elo | games |"
    yield "|---|---|---|"
    for one in np.argsort(found):
        games = 2 * int((a == one).sum() + (b == one).sum())
        yield f"| {names[one]} | {found[one]:.0f} [{low[one]:.0f}, {high[one]:.0f}] | {games} |"


def main() -> None:
    parser, playing = play_and(__doc__, "fit", GAMES)
    playing.add_argument("--rungs", help="else the levels of the game")
    playing.add_argument("--anchors", default=ANCHORS)
    options = parser.parse_args()
    if options.command == "fit":
        sys.stdout.write("\n".join(fit(gathered(options.file))) + "\n")
        return
    levels = (f"{level.iterations}/{level.noise:g}" for level in GAMES[options.game].tuning.levels)
    rungs = options.rungs.split(",") if options.rungs else list(levels)
    anchors = [name for name in options.anchors.split(",") if name]
    play(options.game, range(options.seed, options.seed + options.deals), rungs, anchors, options.out)


if __name__ == "__main__":
    run(main)
