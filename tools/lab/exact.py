"""Late positions solved exactly: `python -m tools.lab.exact GAME` finds some in games and stores them.

It resumes where it was stopped. `python -m tools.lab.exact GAME --regret 10000` measures the win share that the
search's choices lose on them.

A value is the win share of the seat to decide if all seats maximize their win share from there on, with the margin as
tie-break. With two seats this is a zero-sum game and the value is unique. With more seats, only positions
in which no other seat has decisions left are used.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

from clerestory.engine import GAMES, NATURE, Rng, State, from_position
from clerestory.search import Searcher
from clerestory.search.arena.match import decisions
from clerestory.search.options import shipped
from clerestory.search.root import observe
from tools.lab.json_lines import read_lines

HERE = Path(__file__).parents[2] / "tests" / "search"
MAX_NODES = 50_000
ITERATIONS = 60  # of a move in the games
SEEDS = 3  # number of seeds per position for the regret


@dataclass(frozen=True)
class PositionQuota:
    """The positions of a game to look for.

    Attributes:
        last: fields that identify the last round.
        positions: number wanted, by number of seats.
        of_a_step: maximum number of positions of one step, for each number of seats.
        options: options of the players, as for `Searcher`.
    """

    last: Mapping[str, int]
    positions: Mapping[int, int]
    of_a_step: int
    options: Mapping[str, Any] = field(default_factory=dict)


WANTED = {
    "cathedral": PositionQuota({"round": 6}, {2: 40, 3: 15, 4: 15}, 15),
    "duel": PositionQuota({"phase": 4, "round": 3}, {2: 40}, 10, shipped(GAMES["duel"], 2)),
}

Values = tuple[float, ...]  # the win share of every seat, then the margin of every seat
EQUAL = 9  # decimals used to compare win shares


class TooLarge(Exception):
    """The tree has more than MAX_NODES nodes, or its value is not unique."""


class Solver:
    """Computes the exact values of all positions after a position; positions are identified by their public view."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.known: dict[int, Values] = {}

    def values(self, state: State) -> Values:
        """Return the win shares and margins of all seats. Raises TooLarge."""
        if state.over:
            return (*state.win_shares(), *state.margins())
        key = state.key(NATURE)
        if key not in self.known:
            if len(self.known) >= MAX_NODES:
                raise TooLarge
            self.known[key] = self.solve(state)
        return self.known[key]

    def solve(self, state: State) -> Values:
        after = list(self.children(state))
        if state.turn == NATURE:
            odds = state.odds()
            return tuple(sum(o * v for o, v in zip(odds, one, strict=True)) for one in zip(*after, strict=True))
        if state.seats > 2 and state.turn != self.seat and len(after) > 1:
            raise TooLarge
        return max(after, key=lambda values: worth(values, state.turn))

    def children(self, state: State) -> Iterator[Values]:
        for code in state.legal_codes():
            state.play(code)
            try:
                yield self.values(state)
            finally:
                state.undo()


def worth(values: Values, seat: int) -> tuple[float, float]:
    """Return the win share and the margin of a seat."""
    return round(values[seat], EQUAL), values[len(values) // 2 + seat]


def outcomes(state: State) -> dict[str, tuple[float, float]]:
    """Return the exact win share and margin of the seat to decide after each of its actions."""
    solver = Solver(state.turn)
    below = solver.children(state.copy())
    return {action.text: worth(values, state.turn) for action, values in zip(state.legal_actions(), below, strict=True)}


def solved(state: State) -> dict[str, float]:
    """Return the exact win share alone."""
    return {action: share for action, (share, _) in outcomes(state).items()}


def record_of(seed: int, state: State) -> dict[str, Any]:
    """Return a line of a game's data file. Raises TooLarge."""
    found = outcomes(state)
    values, margins = ({action: pair[i] for action, pair in found.items()} for i in (0, 1))
    return {"seed": seed, "position": state.to_position(), "values": values, "margins": margins}


def data(game: str) -> Path:
    """Return the file with the solved positions of a game."""
    return HERE / f"solved-{game}.jsonl"


def lines_of(game: str) -> list[dict[str, Any]]:
    """Return a game's solved positions: `seed`, `position`, and by action the win shares (`values`) and `margins`."""
    return read_lines(data(game)) if data(game).exists() else []


def fields(state: State) -> dict[str, Any]:
    """Return the game's own fields of a position."""
    found: dict[str, Any] = state.to_position()[state.game.name]
    return found


def late_decisions(game: str, seats: int, seed: int) -> Iterator[State]:
    """Yield decisions of the last round in a game of the search against itself, as the seat to decide knows them.

    Luck continues with the stream that shuffled the cards, so that the seeds in tests/search/solved-*.jsonl identify
    these games. This does not affect values: a solver weighs all cards and all luck by their true odds.
    """
    state, rng, wanted = GAMES[game].new(seats, seed), Rng(seed), WANTED[game]
    for ply in decisions(state, rng):
        legal = state.legal_actions()
        if len(legal) > 1 and wanted.last.items() <= fields(state).items():
            yield state.observe(state.turn)
        searcher = Searcher(observe(state), seed=ply, max_bytes=1 << 20, **wanted.options)
        choice = searcher.run(iterations=ITERATIONS).best.action
        state.play(choice if rng.below(8) else legal[rng.below(len(legal))])


def telling(game: str, seats: int, seed: int, taken: Counter[str]) -> Iterator[dict[str, Any]]:
    """Yield the positions of a game that can be solved and in which the choice matters, one for each step."""
    steps = {step for step in taken if taken[step] == WANTED[game].of_a_step}
    for state in late_decisions(game, seats, seed):
        step = fields(state)["step"]
        if step in steps:
            continue
        try:
            line = record_of(seed, state)
        except TooLarge:
            continue
        values = line["values"].values()
        if max(values) - min(values) > 0.01:
            steps.add(step)
            taken[step] += 1
            yield line


def find(game: str) -> None:
    """Add the missing positions of a game, beginning with the first seed that has given none."""
    for seats, wanted in WANTED[game].positions.items():
        known = [line for line in lines_of(game) if len(line["position"][game]["players"]) == seats]
        taken = Counter(line["position"][game]["step"] for line in known)
        seed = max((line["seed"] for line in known), default=-1) + 1
        while taken.total() < wanted:
            add(game, telling(game, seats, seed, taken))
            seed += 1
        sys.stdout.write(f"{seats} seats: {dict(taken)} out of {seed} games\n")


def add(game: str, lines: Iterable[dict[str, Any]]) -> None:
    """Append all positions of one game atomically."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    with data(game).open("a") as file:
        file.write(text)


def regret(line: dict[str, Any], iterations: int, seed: int, **options: Any) -> tuple[float, float]:
    """Return the win share and margin that the choice of a search loses to the best action."""
    searcher = Searcher(observe(from_position(line["position"])), seed=seed, max_bytes=1 << 28, **options)
    choice = searcher.run(iterations=iterations).best.action
    best = max(line["values"], key=lambda action: (line["values"][action], line["margins"][action]))
    return line["values"][best] - line["values"][choice], line["margins"][best] - line["margins"][choice]


def mean_regret(game: str, iterations: int, **options: Any) -> float:
    """Return the mean win share lost over a game's positions and SEEDS seeds."""
    return mean(regret(line, iterations, seed, **options)[0] for line in lines_of(game) for seed in range(SEEDS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=WANTED)
    parser.add_argument("--regret", type=int, metavar="ITERATIONS", help="of `ismcts-plain`, and of the default search")
    options = parser.parse_args()
    if options.regret is None:
        find(options.game)
        return
    for name, choices in (("ismcts-plain", {}), ("ismcts", shipped(GAMES[options.game], 2))):
        sys.stdout.write(f"{name}: {mean_regret(options.game, options.regret, **choices):.4f}\n")


if __name__ == "__main__":
    main()
