"""`clerestory bench service`: the overhead of the service, as seen by callers of a server in another process."""

import json
import os
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

import typer
from rich.table import Table

from clerestory.bench.measured_service import BUDGETS, MEASUREMENTS, QUICK, WHOLE, BenchPlan, measure
from clerestory.cli.options import DEFAULT_GAME, BadOption, GameOption, JsonOption, SeatsOption, grouped, read_seconds
from clerestory.cli.positions import first_decision
from clerestory.cli.screen import figures_table, screen, status_line


def as_table(about: dict[str, Any], figures: dict[str, Any]) -> Table:
    """Return the figures as a table, one per row."""
    table = figures_table(", ".join(f"{name} {value}" for name, value in about.items()), "figure", "value")
    for name, value in flat(figures):
        table.add_row(name, "-" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:,.3f}")
    return table


def flat(figures: dict[str, Any], prefix: str = "") -> list[tuple[str, float | None]]:
    """Flatten nested figures into one list, joining their names."""
    found: list[tuple[str, float | None]] = []
    for name, value in figures.items():
        found += flat(value, f"{prefix}{name} ") if isinstance(value, dict) else [(prefix + name, value)]
    return found


def read_counts(text: str) -> tuple[int, ...]:
    """Parse the number of calls for each budget. Raises BadOption."""
    try:
        counts = tuple(int(word) for word in text.split(","))
    except ValueError:
        counts = ()
    if len(counts) != len(BUDGETS) or min(counts) < 1:
        raise BadOption(f"--calls: {text!r} is not {len(BUDGETS)} numbers above 0, as in 2000,2000,400")
    return counts


@dataclass(frozen=True, slots=True)
class Effort:
    """The amounts to measure; unset ones have their defaults."""

    calls: Annotated[
        str | None,
        typer.Option(
            "--calls",
            metavar="N,N,N",
            help="Numbers of calls with budgets of 20, 100 and 500 ms; by default 2000,2000,400.",
        ),
    ] = None
    added: Annotated[
        int | None,
        typer.Option(
            "--added", metavar="N", min=1, help="Pairs of calls that measure what the service adds to a search."
        ),
    ] = None
    cancels: Annotated[
        int | None, typer.Option("--cancels", metavar="N", min=1, help="Number of searches to cancel.")
    ] = None
    requests: Annotated[
        int | None,
        typer.Option("--requests", metavar="N", min=10, help="Requests over which the server's memory is watched."),
    ] = None
    time: Annotated[
        str | None, typer.Option("--time", metavar="TIME", help="Time of a search whose speed is measured.")
    ] = None
    pairs: Annotated[
        int | None,
        typer.Option(
            "--pairs", metavar="N", min=1, max=1000, help="Pairs of such searches, through the service and without it."
        ),
    ] = None

    def of(self, usual: BenchPlan) -> BenchPlan:
        """Return the plan with these amounts. Raises BadOption."""
        given = {name: value for name, value in asdict(self).items() if value is not None}
        if self.calls is not None:
            given["calls"] = read_counts(self.calls)
        if self.time is not None:
            given["seconds"] = read_seconds(given.pop("time"), 0.05, 60)
        return replace(usual, **given)


AS_USUAL = Effort()


@grouped()
def bench_service(
    game: GameOption = DEFAULT_GAME,
    seats: SeatsOption = 2,
    amounts: Effort = AS_USUAL,
    runs: Annotated[
        int, typer.Option("--runs", metavar="N", min=1, max=100, help="Server starts; the median is reported.")
    ] = 3,
    callers: Annotated[
        int | None,
        typer.Option(
            "--callers",
            metavar="N",
            min=1,
            max=256,
            help="Callers at once, and workers of the server; by default one per core.",
        ),
    ] = None,
    to_limits: Annotated[
        bool, typer.Option("--to-limits", help="Run searches to their limits, without early stopping.")
    ] = False,
    smoke: Annotated[bool, typer.Option("--smoke", help="Run a tenth of everything, as a smoke test.")] = False,
    as_json: JsonOption = False,
) -> None:
    """The overhead of the service, and the lateness of its answers; takes minutes."""
    plan = replace(amounts.of(QUICK if smoke else WHOLE), runs=runs)
    count = callers or os.cpu_count() or 1
    about = {"bench": "service", "game": game, "seats": seats, "callers": count, "runs": runs, "to_limits": to_limits}
    with status_line("bench service", MEASUREMENTS, hidden=as_json, still=True) as done:
        figures = measure(first_decision(game, seats, 0), plan, count, to_limits=to_limits, done=done)
    if as_json:
        typer.echo(json.dumps({**about, **figures}))
    else:
        screen().print(as_table(about, figures))
