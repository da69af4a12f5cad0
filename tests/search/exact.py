"""Late positions solved exactly, by odds: `python -m tests.search.exact` finds some in games and writes them down.

A value is the win share of the seat to decide if all play for their win share from there on. With two seats that is
a zero-sum game and has one value. With more, only positions are taken in which nobody else decides any more.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clerestory.engine import GAMES, NATURE, Rng, State
from clerestory.search import Searcher

DATA = Path(__file__).parent / "solved.jsonl"
MAX_NODES = 50_000
ITERATIONS = 60  # of the players of the games
WANTED = {2: 40, 3: 15, 4: 15}  # positions, by number of seats
OF_A_STEP = 15  # at most, for each number of seats

Values = tuple[float, ...]


class TooLarge(Exception):
    """The tree has more nodes than MAX_NODES, or a value that is not unique."""


class Solver:
    """Exact values of the positions below one; what everyone can see identifies a position."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.known: dict[int, Values] = {}

    def values(self, state: State) -> Values:
        """The win share of every seat."""
        if state.over:
            return state.returns()
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
            return tuple(sum(o * v[seat] for o, v in zip(odds, after, strict=True)) for seat in range(state.seats))
        if state.seats > 2 and state.turn != self.seat and len(after) > 1:
            raise TooLarge
        return max(after, key=lambda values: values[state.turn])

    def children(self, state: State) -> Iterator[Values]:
        for code in state.legal_codes():
            state.play(code)
            try:
                yield self.values(state)
            finally:
                state.undo()


def solved(state: State) -> dict[str, float]:
    """The exact win share of the seat to decide after each of its actions."""
    solver = Solver(state.turn)
    below = solver.children(state.copy())
    return {action.text: values[state.turn] for action, values in zip(state.legal_actions(), below, strict=True)}


def late_decisions(seats: int, seed: int) -> Iterator[State]:
    """Decisions of the last round in a game of the search against itself, as the seat to decide knows them."""
    state, rng = GAMES["cathedral"].new(seats, seed), Rng(seed)
    while not state.over:
        legal = state.legal_actions()
        if state.turn == NATURE:
            state.play(state.draw(rng))
            continue
        if len(legal) > 1 and state.to_position()["cathedral"]["round"] == 6:
            yield state.observe(state.turn)
        choice = Searcher(state, seed=len(state.history), max_bytes=1 << 20).run(iterations=ITERATIONS).best.action
        state.play(choice if rng.below(8) else legal[rng.below(len(legal))])


def telling(seats: int, seed: int, taken: Counter[str]) -> Iterator[dict[str, Any]]:
    """The positions of a game that can be solved and in which the choice matters, one of each step."""
    steps = {step for step in taken if taken[step] == OF_A_STEP}
    for state in late_decisions(seats, seed):
        step = state.to_position()["cathedral"]["step"]
        if step in steps:
            continue
        try:
            values = solved(state)
        except TooLarge:
            continue
        if max(values.values()) - min(values.values()) > 0.01:
            steps.add(step)
            taken[step] += 1
            yield {"seed": seed, "position": state.to_position(), "values": values}


def main() -> None:
    with DATA.open("w") as file:
        for seats, wanted in WANTED.items():
            taken: Counter[str] = Counter()
            seed = 0
            while taken.total() < wanted:
                for line in telling(seats, seed, taken):
                    file.write(json.dumps(line) + "\n")
                seed += 1
            sys.stdout.write(f"{seats} seats: {dict(taken)} out of {seed} games\n")


if __name__ == "__main__":
    main()
