"""`clerestory bench value`: the cost of evaluating a position."""

from bisect import bisect
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from statistics import median
from typing import Annotated

import typer

from clerestory.bench.loops import evaluations, reference
from clerestory.bench.speed import Runs
from clerestory.cli.options import BadOption, chosen_game, grouped
from clerestory.engine import Rng, State
from clerestory.engine.core import Game
from clerestory.engine.errors import BadWeights
from clerestory.engine.values.value import Valuation, value_in_use, value_of
from clerestory.search.arena.match import decisions

POSITIONS = 1_000


@dataclass(frozen=True)
class ValueFigures:
    """The cost of a value on positions from games played by the guide's weights, in C, on one core."""

    ns: float  # per evaluation of all seats
    reference_ns: float  # one step of a fixed C loop


RUNS = Runs(time="500ms")


@grouped()
def bench_value(
    runs: Runs = RUNS,
    value: Annotated[
        str | None,
        typer.Option(
            "--value",
            metavar="VALUE",
            help="A value: hand, net, or a file of weights; by default the one that the game is played with.",
        ),
    ] = None,
) -> None:
    """Evaluations of positions from games, on one core."""
    rules = chosen_game(runs.game, runs.seats)
    name = value_in_use(rules, runs.seats)[0] if value is None else value
    try:
        valuation = value_of(rules, name)
    except BadWeights as error:
        raise BadOption(f"--value: {error}") from None
    positions = decided(rules, runs.seats)
    signature = valuation.signature(positions)  # changes with any change of the value's results
    runs.report("value", partial(measured, valuation, positions), value=name, signature=signature)


def measured(
    value: Valuation, positions: list[State], _game: Game, _seats: int, seconds: float, _seed: int
) -> ValueFigures:
    """Measure once."""
    done, spent = evaluations(value, positions, seconds)
    return ValueFigures(1e9 * spent / done, median((reference(), reference(), reference())))


def decided(game: Game, seats: int) -> list[State]:
    """Return at least the wanted number of decisions from whole games."""
    found: list[State] = []
    for seed in range(POSITIONS):
        if len(found) >= POSITIONS:
            break
        rng = Rng(seed)
        state = game.new(seats, rng)
        for _ in decisions(state, rng):
            found.append(state.copy())
            state.play(weighed(state, rng))
    return found


def weighed(state: State, rng: Rng) -> int:
    """Return a legal code, drawn by the guide's weights."""
    sums = list(accumulate(state.weights()))
    return state.legal_codes()[min(bisect(sums, rng.unit() * sums[-1]), len(sums) - 1)]
