"""Points given away in decided positions, where the win share of the best line is near 0 or 1.

    python -m tools.lab.decided gather GAME --seats N --positions K --seed S --out FILE
    python -m tools.lab.decided table FILE... --iterations I --options NAME=VALUE,...

`gather` plays games in which one seat searches and the others play at random, takes one decision in SPARSE with a
choice if it is decided, and judges it twice: by searches with different seeds that give every line equally many
iterations, and play for the margin. It resumes where it was stopped. `table` lets the shipped search choose there, and
prints the mean number of points that its choices give away, with the standard error over the games.

The best line of one search is judged by the other, and the other way round: the highest of several estimates is too
high on average, but the other search does not know which one that was. So the mean is not above the truth because of
noise, and single figures may be below 0.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from clerestory.engine import GAMES, Rng, State, from_position
from clerestory.search.arena.match import decisions
from clerestory.search.options import read_options
from tools.lab.commands import run, with_commands
from tools.lab.json_lines import adding_to, gathered, header_of
from tools.lab.self_play import searched

SPARSE = 6  # one in this many decisions with a choice is used
MOVE = 200  # iterations per move of the games
LOOK = 1_000  # iterations of the search that finds whether a position is decided
NEAR = 0.005  # distance of a win share from 0 or 1 in a decided position
EACH = 10_000  # iterations per line of a judging search
LARGE = 1 << 30  # bytes of its tree
MAX_BYTES = 1 << 26  # of other trees
SEEDS = (11, 12)  # of the two searches that judge
MUCH = 1.0  # points; the table counts the choices that give away more

Lines = Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class GivenAway:
    """Points that a choice gives away.

    Attributes:
        game: seed of the game.
        won: whether the seat to decide surely wins, not loses.
        points: given away, as estimated.
    """

    game: int
    won: bool
    points: float


# -- positions, judged twice -----------------------------------------------------------------------


def positions_of(game: str, seats: int, seed: int) -> Iterator[tuple[State, bool]]:
    """Yield decided positions of a game, as the seat to decide knows them, and whether it wins."""
    state, rng = GAMES[game].new(seats, seed), Rng(seed)
    strong = seed % seats
    for _ in decisions(state, rng):
        legal = state.legal_codes()
        if len(legal) > 1 and rng.below(SPARSE) == 0:
            share = searched(state, LOOK, rng.next(), MAX_BYTES, sharpness=1.0).best.win_shares[state.turn]
            if not NEAR < share < 1 - NEAR:
                yield state.observe(state.turn), share > NEAR
        if state.turn == strong:
            state.play(searched(state, MOVE, rng.next(), MAX_BYTES).best.action)
        else:
            state.play(legal[rng.below(len(legal))])


def judged(state: State, each: int) -> dict[str, list[float]]:
    """Return by action the win share of the seat to decide and its margins in two searches."""
    lines: dict[str, list[float]] = defaultdict(list)
    for seed in SEEDS:
        result = searched(state, each * len(state.legal_codes()), seed, LARGE, allocation="even", sharpness=1.0)
        for line in result.lines:
            lines[line.action] += [round(line.win_shares[result.seat], 4), round(line.margin, 3)]
    return {action: [(one[0] + one[2]) / 2, one[1], one[3]] for action, one in lines.items()}


def gather(game: str, seats: int, positions: int, seed: int, each: int, out: Path) -> None:
    """Append judged positions to a file up to a number of them; one line per game."""
    with adding_to(out, {**header_of("tools.lab.decided", game, seats), "each": each}) as (add, lines):
        found = sum(len(line["positions"]) for line in lines)
        seed = max((line["seed"] + 1 for line in lines), default=seed)
        while found < positions:
            taken = [
                {"position": state.to_position(), "won": won, "lines": judged(state, each)}
                for state, won in positions_of(game, seats, seed)
            ]
            add({"seed": seed, "seats": seats, "positions": taken})
            found += len(taken)
            seed += 1


# -- the table -------------------------------------------------------------------------------------


def given_away(lines: Lines, choice: str) -> float:
    """Return the points that a choice gives away, given the win share and two margins of each line.

    A line counts as the best only if its win share is not below that of the choice by more than NEAR.
    """
    able = [line for line in lines.values() if line[0] >= lines[choice][0] - NEAR]
    differences = [
        max(able, key=lambda line, finds=finds: line[finds])[tells] - lines[choice][tells]  # type: ignore[misc]
        for finds, tells in ((1, 2), (2, 1))
    ]
    return fmean(differences)


def choices(files: Sequence[Path], iterations: int, options: Mapping[str, Any]) -> Iterator[GivenAway]:
    """Let the shipped search choose in every position of some files."""
    for line in gathered(*files):
        for number, one in enumerate(line["positions"]):
            seed = Rng(line["seed"] * 1000 + number).next()
            choice = searched(from_position(one["position"]), iterations, seed, **options).best.action
            yield GivenAway(line["seed"], one["won"], given_away(one["lines"], choice))


def row(name: str, given: Sequence[GivenAway]) -> str:
    """Return a row of the table; positions of a game are not independent, games are."""
    games: dict[int, list[float]] = defaultdict(list)
    for one in given:
        games[one.game].append(one.points)
    mean = fmean(one.points for one in given)
    sums = [sum(points) - mean * len(points) for points in games.values()]
    error = sqrt(len(sums)) * stdev(sums) / len(given) if len(sums) > 1 else float("inf")
    much, most = sum(one.points > MUCH for one in given), max(one.points for one in given)
    return f"| {name} | {len(given)} | {len(games)} | {mean:.3f} ± {error:.3f} | {much} | {most:.2f} |"


def table(files: Sequence[Path], iterations: int, options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the table."""
    given = list(choices(files, iterations, options))
    yield f"| positions | number | games | points given away | more than {MUCH:g} | at most |"
    yield "|---|---|---|---|---|---|"
    for name, won in (("won", True), ("lost", False)):
        if some := [one for one in given if one.won == won]:
            yield row(name, some)
    yield row("all", given)


def main() -> None:
    parser, gathering, making = with_commands(__doc__, "gather", "table")
    gathering.add_argument("game", choices=GAMES)
    gathering.add_argument("--seats", type=int, default=2)
    gathering.add_argument("--positions", type=int, default=130)
    gathering.add_argument("--seed", type=int, default=0, help="of the first game")
    gathering.add_argument("--each", type=int, default=EACH, help="iterations for each line of the searches that judge")
    gathering.add_argument("--out", type=Path, required=True)
    making.add_argument("files", type=Path, nargs="+")
    making.add_argument("--iterations", type=int, default=10_000)
    making.add_argument("--options", type=read_options, default={}, help="of the search, as in settled=0")
    options = parser.parse_args()
    if options.command == "gather":
        gather(options.game, options.seats, options.positions, options.seed, options.each, options.out)
    else:
        sys.stdout.write("\n".join(table(options.files, options.iterations, options.options)) + "\n")


if __name__ == "__main__":
    run(main)
