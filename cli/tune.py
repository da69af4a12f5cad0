"""`clerestory tune`: tunes numeric options of a bot in the arena, and measures the result with a match."""

import json
import math
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, Annotated

import typer

from clerestory.arena.results import open_lines
from clerestory.arena.series import Report
from clerestory.arena.tune import Range, TuningPlan, TuningStep, confirming_match, read_steps
from clerestory.arena.tune import tune as take_steps
from clerestory.cli.arena import finite, play, progress_bar, spread
from clerestory.cli.bots import BotsOption
from clerestory.cli.crew import MATCH, WORKERS, BotArgument, MatchOptions, WorkerOptions, loader
from clerestory.cli.grouped import grouped
from clerestory.cli.options import chosen_game
from clerestory.cli.screen import screen

RangesArgument = Annotated[
    list[str], typer.Argument(metavar="PARAM=LOW..HIGH", help="Option with its range; whole numbers if both ends are.")
]


@grouped()
def tune(
    bot: BotArgument,
    params: RangesArgument,
    against: Annotated[
        str | None,
        typer.Option(metavar="BOT", help="Opponent of both variants of a step; by default they play each other."),
    ] = None,
    options: MatchOptions = MATCH,
    games: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=10_000_000, help="Fewest games of all steps together; steps are always completed."
        ),
    ] = 4000,
    deals: Annotated[int, typer.Option(metavar="N", min=1, max=100_000, help="Games of each match within a step.")] = 8,
    confirm: Annotated[
        int,
        typer.Option(metavar="N", min=1, max=10_000_000, help="Games between the result and the start, at the end."),
    ] = 400,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File of the steps; those already there are not run again.")
    ] = None,
    workers: WorkerOptions = WORKERS,
    bots: BotsOption = False,  # noqa: ARG001  # its callback does the work
) -> None:
    """Tune options of BOT, in the given ranges, by the games it wins; then play the result against the start."""
    game, seats = options.game, options.seats
    chosen_game(game, seats)
    ranges = tuple(map(Range.parse, params))
    tuning = TuningPlan(loader(game), seats, bot, ranges, against, options.budget, options.seed, deals)
    tuning.rehearse()
    steps = all_steps(tuning, math.ceil(games / tuning.games_per_step), out, workers)
    match = confirming_match(tuning, steps, math.ceil(confirm / seats))
    match.rehearse()
    outcome = play(match, out and out.with_suffix(f".after-{len(steps)}{out.suffix}"), workers)
    report(tuning, steps, outcome, as_json=options.as_json)


def all_steps(tuning: TuningPlan, wanted: int, out: Path | None, workers: WorkerOptions) -> list[TuningStep]:
    """Return all steps, running those still missing, with a progress bar on standard error."""
    with step_file(out, tuning) as (file, done), progress_bar(wanted * tuning.games_per_step) as count:
        count(len(done) * tuning.games_per_step)
        steps = done[:wanted]
        with workers.crew()(workers.number()) as run, closing(take_steps(tuning, wanted, run, file, steps)) as taken:
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
        yield file, read_steps(lines)


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
