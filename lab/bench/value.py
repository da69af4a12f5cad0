"""`clerestory bench value`: the cost of evaluating a position."""

import json
from bisect import bisect
from dataclasses import asdict, dataclass
from itertools import accumulate
from statistics import median
from typing import Annotated

import typer

from clerestory.cli.options import DEFAULT_GAME, BadOption, GameOption, JsonOption, SeatsOption, chosen_game
from clerestory.cli.screen import figures_table, screen
from clerestory.engine import NATURE, Rng, State
from clerestory.engine.core import Game
from clerestory.engine.errors import BadWeights
from clerestory.engine.speed import evaluations, reference
from clerestory.engine.value import Valuation, value_of

POSITIONS = 1_000


@dataclass(frozen=True)
class ValueFigures:
    """Measure one value on positions from games played by the guide's weights, in C, on one core."""

    ns: float  # of one evaluation, all seats
    reference_ns: float  # one step of a fixed C loop


def bench_value(
    game: GameOption = DEFAULT_GAME,
    seats: SeatsOption = 2,
    value: Annotated[str, typer.Option("--value", help="Name of a value, or a file of weights.")] = "hand",
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="N", min=0.01, max=3600, help="Seconds of each run.")
    ] = 0.5,
    runs: Annotated[int, typer.Option("--runs", metavar="N", min=1, max=100, help="Runs; medians are reported.")] = 3,
    as_json: JsonOption = False,
) -> None:
    """Evaluations of positions from games, on one core."""
    rules = chosen_game(game, seats)
    try:
        valuation = value_of(rules, value)
    except BadWeights as error:
        raise BadOption(f"--value: {error}") from None
    positions = decisions(rules, seats)
    figures = [measured(valuation, positions, seconds) for _ in range(runs)]
    middle = {name: median(asdict(run)[name] for run in figures) for name in asdict(figures[0])}
    about = {"bench": "value", "game": game, "seats": seats, "value": value, "runs": runs}
    about["signature"] = valuation.signature(positions)  # changes with any change of the value's results
    if as_json:
        typer.echo(json.dumps({**about, **middle}))
        return
    table = figures_table(", ".join(f"{name} {text}" for name, text in about.items()), "figure", "median")
    for name, figure in middle.items():
        table.add_row(name, f"{figure:,.2f}")
    screen().print(table)


def measured(value: Valuation, positions: list[State], seconds: float) -> ValueFigures:
    """Measure once."""
    done, spent = evaluations(value, positions, seconds)
    return ValueFigures(1e9 * spent / done, median((reference(), reference(), reference())))


def decisions(game: Game, seats: int) -> list[State]:
    """Return at least the wanted number of positions at which a seat decides, from whole games."""
    found: list[State] = []
    for seed in range(POSITIONS):
        if len(found) >= POSITIONS:
            break
        rng = Rng(seed)
        state = game.new(seats, rng)
        while not state.over:
            if state.turn == NATURE:
                state.play(state.draw(rng))
                continue
            found.append(state.copy())
            state.play(weighed(state, rng))
    return found


def weighed(state: State, rng: Rng) -> int:
    """Return a legal code, drawn by the guide's weights."""
    sums = list(accumulate(state.weights()))
    return state.legal_codes()[min(bisect(sums, rng.unit() * sums[-1]), len(sums) - 1)]
