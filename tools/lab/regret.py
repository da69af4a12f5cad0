"""The loss of the shipped search's choices, in one table: on solved positions, and as judged by long searches.

    python -m tools.lab.regret table --iterations 1000
    python -m tools.lab.regret find GAME --seats N --positions K
    python -m tools.lab.regret judge GAME

`find` plays games of the shipped search, from the first seed that has given no position yet, takes one decision in
SPARSE with a choice, and judges it: it stores the win share and margin of each line from a search that gives every line
LONG iterations. `judge` judges all positions again, as is due when the search has become better. `table` lets the
shipped search choose there, and on the solved positions of `tools.lab.exact`, and prints the mean loss of its
choices, in win share and in points, with standard errors over the positions. tests/tools/lab/test_regret.py checks
every version against bounds taken from this table.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from operator import itemgetter
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from clerestory.engine import GAMES, State
from clerestory.search.options import shipped
from tools.lab.commands import with_commands
from tools.lab.exact import WANTED as SOLVED
from tools.lab.exact import lines_of as solved_lines
from tools.lab.exact import regret as solved_regret
from tools.lab.json_lines import compact, read_lines
from tools.lab.self_play import decisions, searched

HERE = Path(__file__).parents[2] / "tests" / "search"
SPARSE = 10  # one in this many decisions with a choice is used
LONG = 100_000  # iterations per line of the judging searches
LARGE = 1 << 31  # bytes of their trees
MOVE = 300  # iterations per move of the games
MAX_BYTES = 1 << 28  # per tree of a move
SEED = 1  # seed of the judged searches
FIRST = 5000  # seed of the first game


@dataclass(frozen=True, slots=True)
class LossRow:
    """A line of the table: losses of the choices, in win share and in points."""

    suite: str
    shares: Sequence[float]
    points: Sequence[float]

    def text(self) -> str:
        return f"| {self.suite} | {len(self.shares)} | {around(self.shares, 4)} | {around(self.points, 2)} |"


def around(losses: Sequence[float], digits: int) -> str:
    return f"{fmean(losses):.{digits}f} ± {stdev(losses) / sqrt(len(losses)):.{digits}f}"


# -- positions judged by long searches -------------------------------------------------------------


def data(game: str) -> Path:
    """Return the file with the judged positions of a game."""
    return HERE / f"searched-{game}.jsonl"


def judged(game: str) -> list[dict[str, Any]]:
    """Return the judged positions, identified by `seats`, `seed`, `codes`; `lines` has share and margin by action."""
    return read_lines(data(game))


def position_of(game: str, line: dict[str, Any]) -> State:
    state = GAMES[game].new(line["seats"], line["seed"])
    for code in line["codes"]:
        state.play(code)
    return state


def verdict(state: State) -> dict[str, Any]:
    """Return win share and margin of each line, best first, from a search that gives all lines equal iterations."""
    iterations = LONG * len(state.legal_codes())
    result = searched(state, iterations, SEED + 1, LARGE, allocation="even", sharpness=1.0)
    if result.given_up:
        raise MemoryError("the tree of a search that judges is full")
    worth = {line.action: (round(line.win_shares[result.seat], 4), round(line.margin, 2)) for line in result.lines}
    return {"lines": dict(sorted(worth.items(), key=itemgetter(1), reverse=True))}


def find(game: str, seats: int, positions: int) -> None:
    """Append judged positions to the data of a game."""
    seed, found = max((line["seed"] + 1 for line in judged(game) if line["seats"] == seats), default=FIRST), 0
    with data(game).open("a") as file:
        while found < positions:
            for state, _ in decisions(game, seats, seed, sparse=SPARSE, move=MOVE, max_bytes=MAX_BYTES):
                line = {
                    "seats": seats,
                    "seed": seed,
                    "codes": [action.code for action in state.history],
                    **verdict(state),
                }
                file.write(compact(line))
                file.flush()
                if (found := found + 1) == positions:
                    break
            seed += 1


def judge(game: str) -> None:
    """Judge all positions of a game again."""
    lines = [{**line, **verdict(position_of(game, line))} for line in judged(game)]
    data(game).write_text("".join(map(compact, lines)))


def loss(game: str, line: dict[str, Any], iterations: int) -> tuple[float, float]:
    """Return the win share and points that the choice of a search loses to the best line of the long one."""
    choice = searched(position_of(game, line), iterations, SEED, 1 << 26).best.action
    best, taken = next(iter(line["lines"].values())), line["lines"][choice]
    return best[0] - taken[0], best[1] - taken[1]


# -- the table -------------------------------------------------------------------------------------


def solved_row(game: str, iterations: int) -> LossRow:
    losses = [
        solved_regret(line, iterations, SEED, **shipped(GAMES[game], len(line["position"][game]["players"])))
        for line in solved_lines(game)
    ]
    return LossRow(f"{game}, solved", *zip(*losses, strict=True))


def judged_row(game: str, players: int, iterations: int) -> LossRow:
    losses = [loss(game, line, iterations) for line in judged(game) if line["seats"] == players]
    return LossRow(f"{game}, {players} players", *zip(*losses, strict=True))


def rows(iterations: int) -> Iterator[LossRow]:
    """Yield the rows of the table."""
    yield from (solved_row(game, iterations) for game in SOLVED)
    yield from (judged_row(game, players, iterations) for game in SOLVED for players in GAMES[game].seats)


def table(iterations: int) -> Iterator[str]:
    yield "| positions | number | win share lost | points lost |"
    yield "|---|---|---|---|"
    yield from (row.text() for row in rows(iterations))


def main() -> None:
    parser, finding, judging, making = with_commands(__doc__, "find", "judge", "table")
    finding.add_argument("game", choices=SOLVED)
    finding.add_argument("--seats", type=int, default=2)
    finding.add_argument("--positions", type=int, default=75)
    judging.add_argument("game", choices=SOLVED)
    making.add_argument("--iterations", type=int, default=1000)
    options = parser.parse_args()
    if options.command == "find":
        find(options.game, options.seats, options.positions)
    elif options.command == "judge":
        judge(options.game)
    else:
        sys.stdout.write("\n".join(table(options.iterations)) + "\n")


if __name__ == "__main__":
    main()
