"""`clerestory bench early`: the time that early ends save, and whether the continued search names the same action."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from math import ceil
from pathlib import Path
from statistics import mean
from time import monotonic
from typing import Annotated, Any

import typer
from rich.table import Table

from clerestory.cli.options import BadOption, JsonOption, read_seconds, read_text
from clerestory.cli.screen import figures_table, screen, tracked
from clerestory.cli.servers import connected
from clerestory.clients import Advisor
from clerestory.engine import State, from_position
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from clerestory.search.result import StopReason
from clerestory.search.root import observe

SPIN = "while True: pass"
CALL = 0.001, 60.0  # range of a call's seconds
PATIENCE = 10  # time limit of a continued search, in budgets, in case other processes slow it down


@dataclass(frozen=True, slots=True)
class EarlyCall:
    """A call that may end early, as is the default.

    Attributes:
        position: name of the position's file.
        saved: share of the time budget.
        decided: whether it ended early.
        held: whether the continued search named the same action, if the call was decided; None if unknown.
    """

    position: str
    saved: float
    decided: bool
    held: bool | None


Probe = Callable[[State, int], tuple[float, bool, bool | None]]  # (position, seed) -> seconds, decided, held


def by_searcher(seconds: float, position: State, seed: int) -> tuple[float, bool, bool | None]:
    """Search in this process; if the search ended early, continue the same searcher to its deadline."""
    searcher = Searcher(observe(position), seed=seed, **shipped(position.game, position.seats))
    deadline = monotonic() + seconds
    early = searcher.run(deadline=deadline, early=True)
    if early.stop_reason != StopReason.DECIDED:
        return early.elapsed, False, None
    held = searcher.run(deadline=deadline).best.action == early.best.action
    return early.elapsed, True, held


def by_service(seconds: float, advisor: Advisor, position: State, seed: int) -> tuple[float, bool, bool | None]:
    """Call a server twice with one seed: the second search repeats the first, and continues.

    It gets as many iterations as the first would have run by its deadline at its own speed, and enough time for them.
    """
    began = monotonic()
    early = advisor.recommend(position, seconds, seed=seed)
    took = monotonic() - began
    if early.stop_reason != StopReason.DECIDED:
        return took, False, None
    most = ceil(early.iterations * seconds / took)
    full = advisor.recommend(position, PATIENCE * seconds, seed=seed, iterations=most, early_stop=False)
    return took, True, full.best == early.best if full.iterations == most else None


@contextmanager
def busy(number: int) -> Iterator[None]:
    """Keep `number` other processes busy during the block."""
    with ExitStack() as stack:
        for _ in range(number):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", SPIN]))
            stack.callback(process.kill)
        yield


def measure(ask: Probe, files: Iterable[tuple[str, State]], seeds: Iterable[int], seconds: float) -> list[EarlyCall]:
    """Make a call with each seed, cycling through the positions."""
    found = []
    for seed, (name, position) in zip(seeds, cycle(files), strict=False):
        took, decided, held = ask(position, seed)
        found.append(EarlyCall(name, max(1 - took / seconds, 0.0), decided, held))
    return found


def summary(outcomes: list[EarlyCall]) -> dict[str, Any]:
    """Return how many calls ended early, wrongly, or unverified, and the mean share of the budget saved."""
    return {
        "calls": len(outcomes),
        "decided": sum(outcome.decided for outcome in outcomes),
        "wrong": sum(outcome.held is False for outcome in outcomes),
        "unknown": sum(outcome.decided and outcome.held is None for outcome in outcomes),
        "saved": mean(outcome.saved for outcome in outcomes),
    }


def report(outcomes: list[EarlyCall]) -> dict[str, dict[str, Any]]:
    """Return the figures by position, by game, and in total."""
    groups: dict[str, list[EarlyCall]] = {}
    for outcome in outcomes:
        for group in (outcome.position, outcome.position.partition("-")[0], "all"):
            groups.setdefault(group, []).append(outcome)
    return {group: summary(groups[group]) for group in sorted(groups)}


def as_table(figures: dict[str, dict[str, Any]]) -> Table:
    """Return the figures as a table, one group per row."""
    table = figures_table("", "positions", "calls", "decided", "wrong", "unknown", "saved")
    for group, row in figures.items():
        *counts, saved = row.values()
        table.add_row(group, *map(str, counts), f"{saved:.0%}")
    return table


def bench_early(
    positions: Annotated[list[str], typer.Argument(metavar="POSITION", help="Position files, used in turn.")],
    calls: Annotated[
        int, typer.Option("--calls", metavar="N", min=1, help="Number of calls, over all positions.")
    ] = 100,
    time: Annotated[str, typer.Option("--time", metavar="TIME", help="Time of one call.")] = "1s",
    beside: Annotated[
        int,
        typer.Option(
            "--beside", metavar="N", min=0, max=256, help="Number of busy processes to run meanwhile, as load."
        ),
    ] = 0,
    searcher: Annotated[bool, typer.Option("--searcher", help="Measure the search alone, without a server.")] = False,
    server: Annotated[
        str | None, typer.Option("--server", metavar="HOST:PORT", help="Server to use; by default a private one.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """The time that early stopping saves, and how often it is wrong: each such search is continued to its deadline."""
    if searcher and server is not None:
        raise BadOption("--searcher: asks no server; leave out --server")
    files = [(Path(path).stem, from_position(read_text(path))) for path in positions]
    seconds = read_seconds(time, *CALL)
    with ExitStack() as stack:
        ask: Probe = partial(by_searcher, seconds)
        if not searcher:
            ask = partial(by_service, seconds, stack.enter_context(connected(server)))
        stack.enter_context(busy(beside))
        seeds = tracked(range(calls), "bench early", calls, hidden=as_json, still=True)
        figures = report(measure(ask, files, seeds, seconds))
    if as_json:
        about = {"bench": "early", "budget_ms": 1e3 * seconds, "beside": beside, "searcher": searcher}
        typer.echo(json.dumps({**about, "groups": figures}))
        return
    screen().print(as_table(figures))
