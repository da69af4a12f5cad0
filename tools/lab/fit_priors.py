"""Fits priors to the games of a learning run, and adds them to a value that was learned without them.

    python -m tools.lab.fit_priors RUN --generations 1 2 --out FILE [--value FILE]

RUN is the folder of `clerestory learn`. Prints how well the guide and the learned priors foresee the visits of full
searches in the games held out, every sixth. Whether they are better is decided in the arena.
"""

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import Any

from clerestory.engine import game
from clerestory.engine.core import Game
from clerestory.engine.errors import BadWeights
from clerestory.engine.values.value import value_of
from clerestory.engine.values.weights import write_weights
from clerestory.search.training.chunks import read_games
from clerestory.search.training.columns import count, join
from clerestory.search.training.errors import LearnError
from clerestory.search.training.loop import games_of, read_json
from clerestory.search.training.net import numpy_arrays
from clerestory.search.training.priors import Decisions, decisions_of, figures_of_priors, fit_priors
from clerestory.search.training.selfplay import SelfPlay

GamesPlayed = dict[int, dict[int, int]]  # number of games, by number of seats and generation


def gather(rules: Game, run: Path, seed: int, generations: list[int]) -> tuple[dict[int, Decisions], GamesPlayed]:
    """Return the full searches of some generations by number of seats, and the number of their games."""
    found: dict[int, Decisions] = {}
    games: GamesPlayed = {}
    for seats in rules.seats:
        parts = []
        for generation in generations:
            folder = games_of(run, generation, seats)
            if folder.exists():
                columns = join(read_games(SelfPlay(partial(game, rules.name), seats, generation, seed), folder))
                parts.append(decisions_of(rules, columns))
                games.setdefault(seats, {})[generation] = count(columns, "game")
        if parts:
            found[seats] = Decisions.joined(parts)
    return found, games


def add_priors(run: Path, generations: list[int], value: str, out: Path) -> dict[str, Any]:
    """Fit priors, write the value with them, and return the figures of the games held out, by number of seats.

    Raises BadData for a damaged run, BadWeights for a value that is not a net for the game and its cards.
    """
    header = read_json(run / "learn.json")
    rules = game(header["game"])
    weights = value_of(rules, value).weights
    if weights is None or weights.catalogue != rules.catalogue:
        raise BadWeights(f"{value}: is no net that was learned with the cards in use")
    decisions, games = gather(rules, run, header["seed"], generations)
    factors = fit_priors(rules, decisions)
    figures = {str(seats): figures_of_priors(rules, seats, part, factors) for seats, part in decisions.items()}
    provenance = {**weights.provenance, "priors": figures, "priors_games": games}
    write_weights(out, {**numpy_arrays(weights), "priors": factors}, provenance, game=rules)
    return figures


def row(seats: str, found: dict[str, Any]) -> str:
    """Return a line of the printed table."""
    pairs = (f"{found[kind]['top1']:>8.1%} {found[kind]['cross_entropy']:>8.3f}" for kind in ("guide", "learned"))
    return f"{seats:>7} {found['decisions']:>9,} {'  '.join(pairs)}"


def main() -> None:
    """Read the command line, fit, write the file, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="RUN", help="folder of a learning run")
    parser.add_argument("--generations", type=int, nargs="+", required=True, help="whose games are used")
    parser.add_argument("--value", default="net", help="net to add the priors to; by default the shipped one")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    options = parser.parse_args()
    try:
        figures = add_priors(options.run, options.generations, options.value, options.out)
    except (LearnError, BadWeights) as error:
        sys.exit(str(error))
    print("players held out    guide: top-1, cross-entropy; learned: top-1, cross-entropy")
    for seats, found in figures.items():
        print(row(seats, found))


if __name__ == "__main__":
    main()
