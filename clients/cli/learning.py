"""The work of `clerestory learn`, which needs NumPy: reads the options, learns, and reports progress."""

import math
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from clerestory.cli.crew import loader
from clerestory.cli.learning_options import LearningOptions
from clerestory.cli.matches import read_sprt
from clerestory.cli.options import BadOption, chosen_game
from clerestory.search.arena.pool import Crew
from clerestory.search.options import read_options
from clerestory.search.training.chunks import GAMES_PER_CHUNK
from clerestory.search.training.fit import Schedule
from clerestory.search.training.gate import GateOptions
from clerestory.search.training.loop import PATIENCE, Resources, Watch, due, learn, play, require_ours
from clerestory.search.training.plan import LearningPlan, OnePlyHabits
from clerestory.search.training.selfplay import Habits

EVERY = 60.0  # seconds between progress lines when there is no terminal


def plan_of(options: LearningOptions) -> LearningPlan:
    """Return the plan of learning. Raises BadOption, BadLimit, BadPlan."""
    return LearningPlan(
        seats=read_seats(options.game, options.seats),
        load=loader(options.game),
        chunks=math.ceil(options.games / GAMES_PER_CHUNK),
        seed=options.seed,
        habits=Habits(quick=options.quick, full=options.full),
        schedule=Schedule(epochs=options.epochs, seed=options.seed),
        search=read_options(options.search),
        one_ply=OnePlyHabits(rounds=options.one_ply),
        fits=options.fits,
    )


def gate_of(options: LearningOptions) -> GateOptions:
    """Return the matches that a candidate must win. Raises BadOption, BadPlan."""
    test = read_sprt(options.sprt)
    return GateOptions(
        tuple(options.budgets.split(",")), tuple(options.against or ()), options.gate_games, test.elo0, test.elo1
    )


def run_learning(options: LearningOptions, workers: int, crew: Crew) -> None:
    """Learn, and print the result of every generation. Raises BadOption."""
    if "," in str(options.out):
        raise BadOption(f"--out: {options.out} has a comma, which the options of a bot cannot hold")
    plan, gate = plan_of(options), gate_of(options)
    with watching() as watch:
        resources = Resources(workers, crew, watch)
        if options.games_only:
            play_games_only(plan, options.out, resources)
            return
        failed = 0
        for record in learn(plan, gate, options.out, options.generations, resources):
            typer.echo(summary(record))
            failed = 0 if record["gate"]["passed"] else failed + 1
    if failed == PATIENCE:
        typer.echo(f"the run has ended: {failed} generations in a row did not pass")


def read_seats(name: str, text: str | None) -> tuple[int, ...]:
    """Return the numbers of players. Raises BadOption."""
    if text is None:
        return tuple(chosen_game(name, given="GAME").seats)
    if not re.fullmatch(r"\d{1,2}(,\d{1,2})*", text, re.ASCII):
        raise BadOption(f"--seats: {text!r} is not a list of numbers like 2,4")
    numbers = sorted(set(map(int, text.split(","))))
    chosen_game(name, *numbers, given="GAME")
    return tuple(numbers)


def play_games_only(plan: LearningPlan, out: Path, resources: Resources) -> None:
    """Play the games of the first generation that has not been through the gate."""
    require_ours(plan, out)
    play(plan, out, due(out), plan.seats, resources)


def summary(record: Mapping[str, Any]) -> str:
    """Return the summary of a generation."""
    lines = [f"generation {record['generation']}: {'passed' if record['gate']['passed'] else 'did not pass'}"]
    for match in record["gate"]["matches"]:
        elo = match["elo"]
        lines.append(
            f"  {match['seats']} players, {match['budget']}: {match['score']['mean']:.1%} of {match['games']} games, "
            f"Elo {elo['mean']:+.0f} [{elo['low']:+.0f}, {elo['high']:+.0f}]  {match['opponent']}"
        )
    return "\n".join(lines)


# -- progress --------------------------------------------------------------------------------------


@contextmanager
def watching() -> Iterator[Watch]:
    """Yield a function that shows the progress of a stage: a bar on a terminal, otherwise a line at intervals."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield ProgressLines(console)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = progress.add_task(stage, total=total)
            progress.update(tasks[stage], completed=done)

        yield show


class ProgressLines:
    """Prints the progress of a stage when it begins, every minute, and when it ends."""

    def __init__(self, console: Console) -> None:
        self.console, self.stage, self.last = console, "", 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Print the progress, unless it was printed a moment ago."""
        now = time.monotonic()
        if stage != self.stage or done >= total or now - self.last >= EVERY:
            self.stage, self.last = stage, now
            self.console.print(f"{stage}: {done:,} of {total:,}", highlight=False)
