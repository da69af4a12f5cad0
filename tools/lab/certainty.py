"""Certainty: gather short and long searches of the same position, fit the probability that they agree, and check it.

    python -m tools.lab.certainty gather GAME --seats N --games K --seed S --out FILE
    python -m tools.lab.certainty fit FILE...

`gather` plays games of the shipped search and searches one decision in SPARSE twice for each number of iterations: with
that many, and, with another seed, with ten times as many. `fit` prints the weights for the game's tuning, from a
logistic regression on the games with even seeds, and a reliability table for the games with odd seeds.
"""

import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np

from clerestory.search.certainty import evidence
from tools.lab.commands import gather_and, run
from tools.lab.json_lines import adding_to, gathered, header_of
from tools.lab.self_play import decisions, searched

SPARSE = 12  # one in this many decisions with a choice is used
LENGTHS = (100, 300, 1000, 3000)  # iterations of the short searches
LONGER = 10
MOVE = 200  # iterations of a move of the games
MAX_BYTES = 1 << 26  # per tree
RIDGE = 1e-3  # penalty on the weights, which keeps them finite for a small sample
EDGES = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)


def searches_of(game: str, seats: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the results of the searches at some decisions of one game."""
    for state, rng in decisions(game, seats, seed, sparse=SPARSE, move=MOVE, max_bytes=MAX_BYTES):
        for iterations in LENGTHS:
            short = searched(state, iterations, rng.next(), MAX_BYTES)
            long = searched(state, LONGER * iterations, rng.next(), MAX_BYTES)
            agree = short.best.action == long.best.action
            about = {"seed": seed, "seats": seats, "ply": len(state.history), "iterations": iterations}
            yield {**about, "evidence": evidence(short.lines), "agree": agree}


def gather(game: str, seats: int, games: int, seed: int, out: Path) -> None:
    """Append the results of a number of games to a file, one line per game; skip those already there."""
    with adding_to(out, header_of("tools.lab.certainty", game, seats)) as (add, lines):
        there = {line["seed"] for line in lines}
        for one in range(seed, seed + games):
            if one not in there:
                add({"seed": one, "searches": list(searches_of(game, seats, one))})


def weights_of(lines: Sequence[dict[str, Any]]) -> np.ndarray:
    """Return the weights of a logistic regression, by Newton's method."""
    x = np.array([line["evidence"] for line in lines])
    y = np.array([line["agree"] for line in lines], dtype=float)
    weights = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-(x @ weights)))
        slope = x.T @ (y - p) - RIDGE * len(y) * weights
        curve = (x * (p * (1 - p))[:, None]).T @ x + RIDGE * len(y) * np.eye(len(weights))
        weights += np.linalg.solve(curve, slope)
    return weights


def shares(lines: Sequence[dict[str, Any]], weights: np.ndarray) -> np.ndarray:
    return np.array([1 / (1 + exp(-float(np.dot(line["evidence"], weights)))) for line in lines])


def report(lines: Sequence[dict[str, Any]], predicted: np.ndarray) -> Iterator[str]:
    """Yield the reliability table and the log loss."""
    agreed = np.array([line["agree"] for line in lines], dtype=float)
    yield "| says | searches | said | agreed |"
    yield "|---|---|---|---|"
    for low, high in pairwise(EDGES):
        inside = (predicted >= low) & (predicted < high)
        if inside.any():
            means = f"{predicted[inside].mean():.3f} | {agreed[inside].mean():.3f}"
            yield f"| {low:.2f} to {high:.2f} | {inside.sum()} | {means} |"
    loss = -np.mean([log(p) if y else log(1 - p) for p, y in zip(predicted, agreed, strict=True)])
    yield f"log loss {loss:.4f}; {len(lines)} searches, of which {agreed.mean():.3f} agree"


def fit(files: Sequence[Path]) -> None:
    """Print the weights, and their reliability on the games that were not used for the fit."""
    lines = [line for game in gathered(*files) for line in game["searches"]]
    weights = weights_of([line for line in lines if line["seed"] % 2 == 0])
    held_out = [line for line in lines if line["seed"] % 2]
    sys.stdout.write(f"weights: {', '.join(f'{weight:.3f}' for weight in weights)}\n")
    sys.stdout.write("\n".join(report(held_out, shares(held_out, weights))) + "\n")


def main() -> None:
    parser, _ = gather_and(__doc__, "fit", games=20)
    options = parser.parse_args()
    if options.command == "fit":
        fit(options.files)
    else:
        gather(options.game, options.seats, options.games, options.seed, options.out)


if __name__ == "__main__":
    run(main)
