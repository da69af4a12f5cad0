"""Matches of bots, played and reported."""

import json
import math
import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from clerestory.cli.crew import MatchOptions, WorkerOptions, loader
from clerestory.cli.options import BadOption, require_regular
from clerestory.cli.screen import figures_table, screen
from clerestory.search.arena.match import Match
from clerestory.search.arena.results import open_results
from clerestory.search.arena.revisions import settled
from clerestory.search.arena.series import Report, Side, play_match, report
from clerestory.search.arena.statistics import Interval, Sprt

MOST_ELO = 10_000  # of a test, either way: the share of the weaker player is 1e-25 then


def play_bots(
    bots: tuple[str, str],
    options: MatchOptions,
    games: int,
    out: Path | None,
    workers: WorkerOptions,
    sprt: str | None,
    luck: str = "",
) -> None:
    """Play a match of at least so many games, and report it. Raises BadOption, BadMatch, BadBot."""
    test = None if sprt is None else read_sprt(sprt)
    require_regular("--out", out)
    deals = math.ceil(games / options.seats)
    players = settled(bots[0]), settled(bots[1])
    match = Match(loader(options.game), options.seats, players, options.budget(), options.seed, deals, luck)
    match.rehearse()
    outcome = play(match, out, workers, test)
    if options.as_json:
        typer.echo(json.dumps({**match.header(), "seed": options.seed, **finite(asdict(outcome))}))
    else:
        show(outcome, match, test)


def read_sprt(text: str) -> Sprt:
    """Return the test of `ELO0,ELO1`. Raises BadOption."""
    numbers = re.fullmatch(r"(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)", text, re.ASCII)
    if numbers is None or not -MOST_ELO <= float(numbers[1]) < float(numbers[2]) <= MOST_ELO:
        limits = f"the lower first, from {-MOST_ELO} to {MOST_ELO}"
        raise BadOption(f"--sprt: {text[:80]!r} is not a pair of Elo differences like 0,10, {limits}")
    return Sprt(float(numbers[1]), float(numbers[2]))


def play(match: Match, out: Path | None, workers: WorkerOptions, sprt: Sprt | None = None) -> Report:
    """Play the games still missing, with a progress bar on standard error, and report."""
    with (
        telling_what_is_kept(out),
        open_results(out, match) as results,
        progress_bar(match.deals * match.seats) as step,
    ):
        step(len(results.of(match)))
        with closing(play_match(match, results, workers=workers.number(), sprt=sprt, crew=workers.crew())) as games:
            for _ in games:
                step(1)
        outcome = report(match, results, sprt)
    assert outcome is not None
    return outcome


@contextmanager
def telling_what_is_kept(out: Path | None) -> Iterator[None]:
    """Say where the results so far are, if there is a file of them, when the user interrupts this block."""
    try:
        yield
    except KeyboardInterrupt:
        if out is not None:
            typer.echo(f"\n{out} keeps what was played; the same command goes on with it", err=True)
        raise


@contextmanager
def progress_bar(games: int) -> Iterator[Callable[[int], None]]:
    """Yield the function that counts finished games; the bar is for terminals only."""
    console = Console(stderr=True)
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("playing", total=games)
        yield lambda more: progress.advance(task, more)


def finite(fields: Any) -> Any:
    """Return the fields with None for infinities, which JSON lacks."""
    if isinstance(fields, dict):
        return {name: finite(value) for name, value in fields.items()}
    return None if isinstance(fields, float) and math.isinf(fields) else fields


# -- for people ------------------------------------------------------------------------------------


SIDE = ("bot", "score share", "mean score", "ms a move", "iterations a move")


def show(outcome: Report, match: Match, sprt: Sprt | None) -> None:
    """Print the two sides and the result of the match."""
    title = f"{match.load().name}, {match.seats} seats, {match.budget} a move: {outcome.games:,} games"
    table = figures_table(title, "", "A", "B")
    for row in zip(SIDE, side_cells(outcome.a), side_cells(outcome.b), strict=True):
        table.add_row(*row)
    screen().print(table)
    typer.echo(f"score share of A  {spread(outcome.score, '.1%')}  (even: {1 / match.seats:.1%})")
    typer.echo(f"Elo, A minus B     {spread(outcome.elo, '+.0f')}")
    typer.echo(f"margin of A       {spread(outcome.margin, '+.2f')}")
    if outcome.adjusted:
        typer.echo(f"without luck       {spread(outcome.adjusted, '.1%')}  (variance: {in_parts(outcome.noise)})")
    if sprt and outcome.llr is not None:
        low, high = sprt.bounds
        typer.echo(
            f"SPRT {sprt.elo0:g},{sprt.elo1:g}  {outcome.verdict}, ratio {outcome.llr:.2f} of {low:.2f}, {high:.2f}"
        )


def in_parts(noise: float | None) -> str:
    """Return the variance that is left without luck."""
    return "unknown" if noise is None else f"{noise:.0%} of that with luck"


def side_cells(side: Side) -> tuple[str, ...]:
    """Return the cells of a side, as SIDE names them."""
    value = "-" if side.value is None else f"{side.value:.2f}"
    return side.bot, f"{side.score:.1%}", value, f"{side.ms_per_move:.2f}", f"{side.iterations_per_move:,.0f}"


def spread(interval: Interval, style: str) -> str:
    """Return a figure with its interval."""
    return f"{interval.mean:{style}}  [{interval.low:{style}}, {interval.high:{style}}]"
