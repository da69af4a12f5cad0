"""Calibration of win shares: of all positions reported as 60 %, how many are won; by game, players and round.

    python -m lab.shares gather GAME --seats N --games K --iterations I --seed S --out FILE
    python -m lab.shares report FILE...

`gather` plays the shipped search against itself in all seats, and stores the win shares of its best line at each
decision with a choice, before sharpening, and the result. `report` finds the exponent (`sharpness`) with which the
shares of the games with even seeds predict their results best. For the games with odd seeds it prints the quality of
the shares with this exponent and unchanged: reliability, log loss, Brier score, calibration error. `noise` is the
calibration error that the same number of games would show if every share were right, since all positions of a game
share its result.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import pi, sqrt
from typing import Any

import numpy as np

from clerestory.arena.match import decisions
from clerestory.engine import GAMES, Rng
from clerestory.learn.columns import Array
from clerestory.learn.figures import BINS, calibration_error, reliability
from clerestory.learn.samples import entropy
from clerestory.search.options import shipped
from lab.commands import gather_and, run
from lab.json_lines import gathered, read_lines
from lab.self_play import searched

EXPONENTS = np.linspace(0.5, 1.6, 111)  # that are tried
MAX_BYTES = 1 << 26  # of the tree of a move
LEAST = 1e-6  # lower limit of a share before its logarithm is taken


def game_of(game: str, seats: int, iterations: int, seed: int) -> dict[str, Any]:
    """Play one game; return the result, and for each decision its round and the shares of its best line."""
    state, rng, said = GAMES[game].new(seats, seed), Rng(seed), []
    for _ in decisions(state, rng):
        if len(legal := state.legal_codes()) == 1:
            state.play(legal[0])
        else:
            best = searched(state, iterations, rng.next(), MAX_BYTES, sharpness=1.0).best
            said.append((state.round_number(), [round(share, 5) for share in best.win_shares]))
            state.play(best.action)
    about = {"game": game, "seats": seats, "iterations": iterations, "seed": seed}
    return {**about, "returns": state.returns(), "said": said}


@dataclass(frozen=True, slots=True)
class ShareTable:
    """Shares that were stacked, a row for each position: number of its game, round, shares and returns by seat."""

    game: Array
    round: Array
    shares: Array
    returns: Array

    def take(self, rows: Array) -> "ShareTable":
        return ShareTable(self.game[rows], self.round[rows], self.shares[rows], self.returns[rows])

    def sharpened(self, exponent: float) -> "ShareTable":
        raised = np.maximum(self.shares, LEAST) ** exponent
        return ShareTable(self.game, self.round, raised / raised.sum(axis=1, keepdims=True), self.returns)


def stacked(games: Sequence[Mapping[str, Any]]) -> ShareTable:
    """Return the shares of games of one number of seats, as they were gathered."""
    rows = [(one, *said, game["returns"]) for one, game in enumerate(games) for said in game["said"]]
    columns = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    return ShareTable(*columns)


def best_exponent(some: ShareTable) -> float:
    """Return the exponent of the shares with which they predict the results best."""
    logs = np.log(np.maximum(some.shares, LEAST))
    return float(min(EXPONENTS, key=lambda exponent: entropy(exponent * logs, some.returns)))


def noise(some: ShareTable) -> float:
    """Return the calibration error expected if all shares were right, from the spread between games."""
    bins = np.minimum((some.shares * BINS).astype(int), BINS - 1)
    games = np.repeat(some.game[:, None], some.shares.shape[1], axis=1)
    off = some.returns - some.shares
    total = 0.0
    for number in range(BINS):
        inside = bins == number
        by_game = np.bincount(games[inside].astype(int), off[inside] - off[inside].mean() if inside.any() else None)
        total += sqrt(2 / pi) * sqrt(float((by_game**2).sum()))
    return total / some.shares.size


def figures(some: ShareTable) -> dict[str, float]:
    """Return log loss in nats, Brier score over the seats, calibration error of all seats, and its noise."""
    return {
        "log_loss": entropy(np.log(np.maximum(some.shares, LEAST)), some.returns),
        "brier": float(((some.shares - some.returns) ** 2).sum(axis=1).mean()),
        "error": calibration_error(reliability(some.shares.ravel(), some.returns.ravel())),
        "noise": noise(some),
    }


def tables(some: ShareTable) -> Iterator[str]:
    """Yield the figures of all rounds and of each, then the reliability table."""
    yield "| round | positions | log loss | Brier | calibration error | noise |"
    yield "|---|---|---|---|---|---|"
    for number in (None, *np.unique(some.round)):
        part = some if number is None else some.take(some.round == number)
        cells = " | ".join(f"{figure:.3f}" for figure in figures(part).values())
        yield f"| {'all' if number is None else int(number)} | {len(part.round):,} | {cells} |"
    yield "| " + " | ".join(("said", "won", "shares")) + " |"
    yield "|---|---|---|"
    for row in reliability(some.shares.ravel(), some.returns.ravel()):
        yield f"| {row['said']:.1%} | {row['won']:.1%} | {row['count']:,} |"


def report(games: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the report on games of one number of seats."""
    even, odd = (stacked([game for game in games if game["seed"] % 2 == parity]) for parity in (0, 1))
    exponent, all_ = best_exponent(even), stacked(games)
    of_game = shipped(GAMES[games[0]["game"]], games[0]["seats"]).get("sharpness", 1.0)
    yield f"{games[0]['game']}, {games[0]['seats']} players, {len(games)} games of {games[0]['iterations']} iterations"
    others = f"{best_exponent(odd):.2f} by odd ones, {best_exponent(all_):.2f} by all"
    yield f"sharpness {exponent:.2f} by even seeds, {others}"
    for name, which, by in (
        ("odd seeds, as they were", odd, 1.0),
        (f"odd seeds, sharpness {exponent:.2f}", odd, exponent),
        ("all, as they were", all_, 1.0),
        (f"all, as shipped ({of_game:.2f})", all_, of_game),
    ):
        yield f"\n{name}:"
        yield from tables(which.sharpened(by))


def gather(options: argparse.Namespace) -> None:
    """Play games and append their shares to a file, one by one; seeds already in the file are skipped."""
    there = {game["seed"] for game in read_lines(options.out)} if options.out.exists() else set()
    with options.out.open("a") as file:
        for seed in sorted(set(range(options.seed, options.seed + options.games)) - there):
            file.write(json.dumps(game_of(options.game, options.seats, options.iterations, seed)) + "\n")
            file.flush()


def main() -> None:
    parser, gathering = gather_and(__doc__, "report", games=100)
    gathering.add_argument("--iterations", type=int, default=1000)
    options = parser.parse_args()
    if options.command == "gather":
        gather(options)
    else:
        sys.stdout.write("\n".join(report(gathered(*options.files))) + "\n")


if __name__ == "__main__":
    run(main)
