"""Calibrates win shares: of all positions reported as 60 %, how many are won; by game, players, strength and round.

    python -m tools.lab.shares gather GAME --seats N --games K --iterations I,J --seed S --out FILE
    python -m tools.lab.shares fit FILE...
    python -m tools.lab.shares report FILE...

`gather` plays the shipped search against itself in all seats, K games for each number of iterations. It stores the
win shares of its best line at each decision with a choice, before sharpening, and the result; games already in the file
are not played again. A file has one game and one number of seats. `fit` prints the `Sharpness` of `engine/*/tuning.py`
with which the shares of all games predict their results best, over iterations and rounds at once. `report` prints, for
each number of iterations, the quality of the original shares, of the shipped ones, and of those fitted to the other
half of the games (even or odd seeds): reliability, log loss, Brier score, calibration error. `noise` is the calibration
error that the same number of games would show if every share were right, since all positions of a game share its
result.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from math import pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from clerestory.engine import GAMES
from clerestory.engine.tuning import Sharpness, sharpness_terms
from clerestory.search.arena.match import decisions, nature_of
from clerestory.search.arena.pool import on_processes
from clerestory.search.training.columns import Array
from clerestory.search.training.figures import BINS, calibration_error, reliability
from clerestory.search.training.net import softmax
from clerestory.search.training.samples import entropy
from tools.lab.commands import run, with_commands
from tools.lab.json_lines import adding_to, gathered, header_of
from tools.lab.self_play import searched

MAX_BYTES = 1 << 26  # of the tree of a move
LEAST = 1e-6  # minimum share before taking its logarithm
AS_THEY_WERE = Sharpness(1.0)
# Expected deviations of the weights of a sharpness from those of unchanged shares. In the first round shares are nearly
# even, so its exponent needs more room to be found.
WIDTHS = (0.5, 0.2, 0.05, 0.05, 0.5, 1.5, 0.3)
STRENGTH = [1, 3]  # the terms that depend on the iterations
STEPS = 100  # of Newton's method, which ends long before
CLOSE = 1e-4  # change of a weight at which Newton's method ends
FARTHEST = 0.25  # maximum change of a weight in a step, to avoid overshooting


@dataclass(frozen=True, slots=True)
class ShareTask:
    """A task: one game."""

    game: str
    seats: int
    iterations: int
    seed: int

    def play(self, stopped: Callable[[], bool] = lambda: False) -> list[dict[str, Any]]:
        """Play the game; return its result, and for each decision its round and the shares of its best line.

        Returns nothing if stopped.
        """
        state, said = GAMES[self.game].new(self.seats, self.seed), []
        rng = nature_of(self.seed)
        for _ in decisions(state, rng):
            if stopped():
                return []
            if len(legal := state.legal_codes()) == 1:
                state.play(legal[0])
            else:
                best = searched(state, self.iterations, rng.next(), MAX_BYTES, sharpness=1.0).best
                said.append((state.round_number(), [round(share, 5) for share in best.win_shares]))
                state.play(best.action)
        return [{**asdict(self), "returns": state.win_shares(), "said": said}]

    def header(self) -> dict[str, Any]:
        """Return what it has in common with the other games of a file."""
        return header_of("tools.lab.shares", self.game, self.seats)


@dataclass(frozen=True, slots=True)
class ShareTable:
    """Stacked shares, a row for each position.

    Attributes:
        game: number of the game.
        iterations: iterations of its search.
        round: round of the game.
        shares: shares reported by the search, by seat.
        returns: win shares of the result, by seat.
    """

    game: Array
    iterations: Array
    round: Array
    shares: Array
    returns: Array

    def take(self, rows: Array) -> "ShareTable":
        return ShareTable(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def sharpened(self, by: Sharpness) -> "ShareTable":
        exponents = np.array([by.exponent(*one) for one in strengths(self)])
        raised = np.maximum(self.shares, LEAST) ** exponents[:, None]
        raised[:, 0] *= np.exp([by.lead(round_) for round_ in self.round.astype(int).tolist()])
        shares = raised / raised.sum(axis=1, keepdims=True)
        return ShareTable(self.game, self.iterations, self.round, shares, self.returns)


def strengths(some: ShareTable) -> Iterator[tuple[int, int]]:
    """Yield iterations and round of each position."""
    return zip(some.iterations.astype(int).tolist(), some.round.astype(int).tolist(), strict=True)


def stacked(games: Sequence[Mapping[str, Any]]) -> ShareTable:
    """Return the gathered shares of games with one number of seats."""
    rows = [
        (one, game["iterations"], *said, game["returns"]) for one, game in enumerate(games) for said in game["said"]
    ]
    columns = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    return ShareTable(*columns)


# -- fit -------------------------------------------------------------------------------------------


def best_sharpness(some: ShareTable) -> Sharpness:
    """Return the sharpness with which the shares predict the results best, by Newton's method.

    Each weight is pulled towards that of unchanged shares, by WIDTHS, so that a few games have little effect. Weights
    of strength are only fitted to games of several strengths.
    """
    rounds = int(some.round.max())
    moved = terms_by_seat(some, rounds)
    start = weights = np.array(astuple(AS_THEY_WERE)[: len(WIDTHS)])
    held = np.diag(1 / np.square(WIDTHS))
    for _ in range(STEPS):
        shares = softmax(moved @ weights)
        slopes = (moved * (shares - some.returns)[:, :, None]).sum(axis=1)
        means = (moved * shares[:, :, None]).sum(axis=1)
        curve = np.einsum("ns,nsk,nsl->kl", shares, moved, moved, optimize=True) - means.T @ means
        one = weight_of_a_position(slopes[:, 0], float(curve[0, 0]), some.game)
        step = np.linalg.solve(one * curve + held, one * slopes.sum(axis=0) + held @ (weights - start))
        longest = float(np.abs(step).max())
        weights = weights - step * min(1.0, FARTHEST / longest)
        if longest < CLOSE:
            break
    even, stronger, later, both, last, first, first_seat = (round(float(weight), 3) for weight in weights)
    return Sharpness(even, stronger, later, both, last, first, first_seat, rounds)


def terms_by_seat(some: ShareTable, rounds: int) -> Array:
    """Return the factors of the weights of a sharpness in each seat's log odds: positions x seats x weights."""
    logs = np.log(np.maximum(some.shares, LEAST))
    terms = np.array([sharpness_terms(*one, rounds) for one in strengths(some)])
    terms[:, STRENGTH] *= len(np.unique(some.iterations)) > 1
    moved = np.zeros((*logs.shape, len(WIDTHS)))
    moved[:, :, :-1] = logs[:, :, None] * terms[:, None, :]
    moved[:, 0, -1] = some.round <= 1
    return moved


def weight_of_a_position(slope: Array, curve: float, game: Array) -> float:
    """Return the weight of a position in independent positions, since all positions of a game share its result.

    It makes the curvature of the log loss equal its spread between games (Pauli, Racugno, Ventura 2011, Statistica
    Sinica).

    Args:
        slope: derivative of the log loss of each position by its exponent.
        curve: the second derivative, over all positions.
        game: number of the game of each position.
    """
    by_game = np.bincount(game.astype(int), slope - slope.mean())
    return curve / max(float((by_game**2).sum()), curve)


# -- report ----------------------------------------------------------------------------------------


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


def by_other_half(some: ShareTable, odd: Array) -> ShareTable:
    """Return the shares sharpened with the best fit of the other half of the games, in the same rows."""
    halves = [some.take(odd == half).sharpened(best_sharpness(some.take(odd != half))) for half in (False, True)]
    columns = (np.concatenate([getattr(half, name) for half in halves]) for name in some.__dataclass_fields__)
    return ShareTable(*columns)


def report(games: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the report on games of one game and number of seats, by iterations."""
    (name, seats), some = kind_of(games[0]), stacked(games)
    odd = np.array([game["seed"] % 2 for game in games], dtype=bool)[some.game.astype(int)]
    shipped = GAMES[name].tuning.sharpness.get(seats, AS_THEY_WERE)
    ways = {
        "as they were": some.sharpened(AS_THEY_WERE),
        f"as shipped, {shipped}": some.sharpened(shipped),
        "as fitted to the other half of the games": by_other_half(some, odd),
    }
    for iterations in np.unique(some.iterations).astype(int):
        number = sum(game["iterations"] == iterations for game in games)
        for way, shares in ways.items():
            yield f"\n{name}, {seats} players, {number} games of {iterations} iterations, {way}:"
            yield from tables(shares.take(shares.iterations == iterations))


def fits(games: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the sharpness fitted to games of one kind, and those fitted to their halves for comparison."""
    name, seats = kind_of(games[0])
    halves = [[game for game in games if game["seed"] % 2 == half] for half in (0, 1)]
    yield f"{name}, {seats} players, {len(games)} games: {best_sharpness(stacked(games))}"
    yield from (f"  of {len(half)}: {best_sharpness(stacked(half))}" for half in halves if half)


def kind_of(game: Mapping[str, Any]) -> tuple[str, int]:
    """Return the game and the number of seats."""
    return game["game"], game["seats"]


def by_kind(games: Sequence[Mapping[str, Any]]) -> Iterator[Sequence[Mapping[str, Any]]]:
    """Yield the games of each kind."""
    for kind in sorted({kind_of(game) for game in games}):
        yield [game for game in games if kind_of(game) == kind]


# -- commands --------------------------------------------------------------------------------------


def gather(options: argparse.Namespace) -> None:
    """Play games and append their shares to a file, one by one, weakest first; skip those already in the file."""
    seeds = range(options.seed, options.seed + options.games)
    wanted = [(iterations, seed) for iterations in sorted(options.iterations) for seed in seeds]
    with adding_to(options.out, header_of("tools.lab.shares", options.game, options.seats)) as (add, games):
        there = {(game["iterations"], game["seed"]) for game in games}
        missing = (ShareTask(options.game, options.seats, *one) for one in wanted if one not in there)
        with on_processes(options.processes) as run:
            for played in run(missing):
                for game in played:
                    add(game)


def numbers(text: str) -> list[int]:
    """Return whole numbers that are separated by commas."""
    return [int(one) for one in text.split(",")]


def main() -> None:
    parser, gathering, fitting, reporting = with_commands(__doc__, "gather", "fit", "report")
    gathering.add_argument("game", choices=GAMES)
    gathering.add_argument("--seats", type=int, default=2)
    gathering.add_argument("--games", type=int, default=100, help="of each number of iterations")
    gathering.add_argument("--iterations", type=numbers, default=[1000], help="of a move, as in 400,8000")
    gathering.add_argument("--seed", type=int, default=0, help="of the first game")
    gathering.add_argument("--processes", type=int, default=1)
    gathering.add_argument("--out", type=Path, required=True)
    for reading in (fitting, reporting):
        reading.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args()
    if options.command == "gather":
        gather(options)
    else:
        told = fits if options.command == "fit" else report
        for games in by_kind(gathered(*options.files)):
            sys.stdout.write("\n".join(told(games)) + "\n")


if __name__ == "__main__":
    run(main)
