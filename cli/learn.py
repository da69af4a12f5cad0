"""`clerestory learn`: a value learned by self-play, generation after generation."""

import math
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from clerestory.cli.arena import read_sprt
from clerestory.cli.crew import OnOption, Place, RayAddressOption, WorkersOption, chosen_crew, load_game
from clerestory.cli.options import CATALOGUES, BadOption, SeedOption, chosen_game, chosen_seats

if TYPE_CHECKING:  # NumPy may not be there
    from clerestory.learn.loop import Means, Watch
    from clerestory.learn.plan import Plan

EVERY = 60.0  # seconds between two lines that say how far a stage is, where there is no terminal


def learn(
    game: Annotated[str, typer.Argument(metavar="GAME", help="What to learn.")],
    out: Annotated[Path, typer.Option(help="Folder to keep everything in, and to go on from.")],
    generations: Annotated[int, typer.Option(min=1, max=1000, help="Those there are included.")] = 1,
    games: Annotated[int, typer.Option(min=1, max=10_000_000, help="Of a generation and a number of players.")] = 6000,
    seats: Annotated[str | None, typer.Option(help="Numbers of players, like 2,4; else all of the game.")] = None,
    epochs: Annotated[int, typer.Option(min=1, max=1000, help="Of a fit.")] = 10,
    search: Annotated[
        str, typer.Option(help="Options of the search that asks a learned value.")
    ] = "horizon=0,reward=win",
    quick: Annotated[int, typer.Option(min=1, help="Iterations of 4 decisions in 5.")] = 150,
    full: Annotated[int, typer.Option(min=1, help="Iterations of the fifth.")] = 1600,
    budgets: Annotated[str, typer.Option(help="Of a move at the gate, like 2000it,10ms.")] = "2000it,10ms",
    against: Annotated[
        list[str] | None, typer.Option(metavar="BOT", help="A reference that is to be beaten, too.")
    ] = None,
    gate_games: Annotated[int, typer.Option(min=1, max=1_000_000, help="Of a match at the gate, at most.")] = 400,
    sprt: Annotated[str, typer.Option(metavar="ELO0,ELO1", help="What a match at the gate decides between.")] = "0,20",
    games_only: Annotated[
        bool, typer.Option("--games-only", help="Play the games of the generation that is due, and end.")
    ] = False,
    workers: WorkersOption = None,
    on: OnOption = Place.PROCESSES,
    ray_address: RayAddressOption = None,
    seed: SeedOption = 0,
) -> None:
    """Learn a value of GAME: the search plays itself, a net is fitted to the games, and matches say if it is better."""
    require_numpy()
    from clerestory.learn.chunks import GAMES_PER_CHUNK
    from clerestory.learn.fit import Schedule
    from clerestory.learn.gate import Gate
    from clerestory.learn.loop import Means
    from clerestory.learn.loop import learn as take_generations
    from clerestory.learn.plan import Plan
    from clerestory.learn.selfplay import Habits

    plan = Plan(
        load=partial(load_game, game, CATALOGUES.get(game)),
        seats=read_seats(game, seats),
        chunks=math.ceil(games / GAMES_PER_CHUNK),
        seed=seed,
        habits=Habits(quick=quick, full=full),
        schedule=Schedule(epochs=epochs, seed=seed % 2**32),
        search=read_search(search),
    )
    test = read_sprt(sprt)
    gate = Gate(tuple(budgets.split(",")), tuple(against or ()), gate_games, test.elo0, test.elo1)
    with watching() as watch:
        means = Means(workers or os.cpu_count() or 1, chosen_crew(on, ray_address), watch)
        if games_only:
            play_games_only(plan, out, means)
            return
        for record in take_generations(plan, gate, out, generations, means):
            typer.echo(summary(record))


def require_numpy() -> None:
    """Raise BadOption if NumPy is not installed; fit on one thread, so that equal games give equal weights."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    try:
        import numpy  # noqa: F401
    except ModuleNotFoundError:
        raise BadOption("learn: NumPy is not installed: pip install 'clerestory[numpy]'") from None


def read_seats(name: str, text: str | None) -> tuple[int, ...]:
    """Return the numbers of players. Raises BadOption."""
    game = chosen_game(name)
    if text is None:
        return tuple(game.seats)
    if not re.fullmatch(r"\d{1,2}(,\d{1,2})*", text, re.ASCII):
        raise BadOption(f"--seats: {text!r} is not a list of numbers like 2,4")
    return tuple(sorted({chosen_seats(game, int(seats)) for seats in text.split(",")}))


def read_search(text: str) -> Mapping[str, Any]:
    """Return the options of `name=value,name=value`; the search judges them. Raises BadOption."""
    found: dict[str, Any] = {}
    for pair in filter(None, text.split(",")):
        name, equals, value = pair.partition("=")
        if not equals:
            raise BadOption(f"--search: {pair!r} is not an option like reward=win")
        found[name] = int(value) if value.isdecimal() else float(value) if is_number(value) else value
    return found


def is_number(text: str) -> bool:
    """Return whether a text is a decimal fraction."""
    return re.fullmatch(r"\d+\.\d+", text, re.ASCII) is not None


def play_games_only(plan: "Plan", out: Path, means: "Means") -> None:
    """Play the games of the first generation that was not gated yet."""
    from clerestory.learn.loop import due, play, require_ours

    require_ours(plan, out)
    play(plan, out, due(out), plan.seats, means)


def summary(record: Mapping[str, Any]) -> str:
    """Return what is said of a generation."""
    lines = [f"generation {record['generation']}: {'passed' if record['gate']['passed'] else 'did not pass'}"]
    for match in record["gate"]["matches"]:
        elo = match["elo"]
        lines.append(
            f"  {match['seats']} players, {match['budget']}: {match['score']['mean']:.1%} of {match['games']} games, "
            f"Elo {elo['mean']:+.0f} [{elo['low']:+.0f}, {elo['high']:+.0f}]  {match['opponent']}"
        )
    return "\n".join(lines)


# -- how far it is ---------------------------------------------------------------------------------


@contextmanager
def watching() -> Iterator["Watch"]:
    """Yield a function that shows how far a stage is: a bar on a terminal, else a line now and then."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield Lines(console)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = progress.add_task(stage, total=total)
            progress.update(tasks[stage], completed=done)

        yield show


class Lines:
    """Says how far a stage is when it begins, every minute, and when it ends."""

    def __init__(self, console: Console) -> None:
        self.console, self.stage, self.last = console, "", 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Say it, unless it was said a moment ago."""
        now = time.monotonic()
        if stage != self.stage or done >= total or now - self.last >= EVERY:
            self.stage, self.last = stage, now
            self.console.print(f"{stage}: {done:,} of {total:,}", highlight=False)
