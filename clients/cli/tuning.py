"""Tuning of a bot's options, step after step, and the match that confirms it."""

import json
import math
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO

import typer

from clerestory.cli.crew import WorkerOptions
from clerestory.cli.matches import finite, play, progress_bar, spread, telling_what_is_kept
from clerestory.cli.options import require_regular
from clerestory.cli.screen import screen
from clerestory.search.arena.results import naming, open_lines
from clerestory.search.arena.series import Report
from clerestory.search.arena.tune import TuningPlan, TuningStep, confirming_match, read_steps, tune


def tune_and_confirm(
    tuning: TuningPlan, games: int, confirm: int, out: Path | None, workers: WorkerOptions, *, as_json: bool
) -> None:
    """Take the steps of at least so many games, play `confirm` games of the result against the start, and report."""
    require_regular("--out", out)
    wanted, deals = math.ceil(games / tuning.games_per_step), math.ceil(confirm / tuning.seats)
    tuning.rehearse(wanted * tuning.deals + deals)
    steps = all_steps(tuning, wanted, out, workers)
    match = confirming_match(tuning, steps, deals)
    match.rehearse()
    outcome = play(match, out and out.with_suffix(f".after-{len(steps)}{out.suffix}"), workers)
    report(tuning, steps, outcome, as_json=as_json)


def all_steps(tuning: TuningPlan, wanted: int, out: Path | None, workers: WorkerOptions) -> list[TuningStep]:
    """Return all steps, running those still missing, with a progress bar on standard error."""
    with (
        telling_what_is_kept(out),
        step_file(out, tuning) as (file, done),
        progress_bar(wanted * tuning.games_per_step) as count,
    ):
        count(len(done) * tuning.games_per_step)
        steps = done[:wanted]
        with workers.crew()(workers.number()) as run, closing(tune(tuning, wanted, run, file, steps)) as taken:
            for step in taken:
                steps = [*steps, step]
                count(tuning.games_per_step)
    return steps


@contextmanager
def step_file(out: Path | None, tuning: TuningPlan) -> Iterator[tuple[IO[bytes] | None, list[TuningStep]]]:
    """Open the file of steps, if one was named; yield it and the steps it holds."""
    if out is None:
        yield None, []
        return
    with open_lines(out, tuning.header()) as (file, lines):
        with naming(out):
            steps = read_steps(lines, len(tuning.ranges))
        yield file, steps


def report(tuning: TuningPlan, steps: list[TuningStep], outcome: Report, *, as_json: bool) -> None:
    """Print the best point, the start, and the result of the confirming match."""
    best, start = outcome.a.bot, outcome.b.bot
    games = len(steps) * tuning.games_per_step
    if as_json:
        fields = {"best": best, "start": start, "steps": len(steps), "games": games}
        typer.echo(json.dumps({**tuning.header(), **fields, "confirmed": finite(asdict(outcome))}))
        return
    console = screen()
    console.print(f"best   {best}  after {len(steps):,} steps, {games:,} games")
    console.print(f"start  {start}")
    console.print(f"{outcome.games:,} games of the best against the start, intervals of 95 %:")
    console.print(f"score share  {spread(outcome.score, '.1%')}  (even: {1 / tuning.seats:.1%})")
    console.print(f"Elo          {spread(outcome.elo, '+.0f')}")
