"""`clerestory learn`: a value learned by self-play, generation after generation."""

import math
import os
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clerestory.cli.game_options import WORKERS, WorkerOptions, loader
from clerestory.cli.options import BadOption, SeedOption, argument, chosen_game, grouped
from clerestory.search.options import LEARNING, read_options, write_options

if TYPE_CHECKING:
    from clerestory.search.arena.pool import Crew
    from clerestory.search.training.gate import GateOptions
    from clerestory.search.training.loop import Watch
    from clerestory.search.training.plan import LearningPlan

SEARCH = write_options(LEARNING)
LINES_INTERVAL_S = 60.0  # seconds between two lines of progress, where there is no terminal


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """The game to learn, the games of self-play, and the matches that a new value must win."""

    game: Annotated[str, typer.Argument(metavar="GAME", help="Name of the game.")]
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER", resolve_path=True, help="Folder for all results; a run continues from what is there."
        ),
    ]
    one_ply: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, max=100_000, help="Rounds of games without a search before the first generation."
        ),
    ] = 0
    generations: Annotated[
        int,
        typer.Option(metavar="N", min=1, max=1000, help="Total number of generations, including those in the folder."),
    ] = 1
    games: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            max=10_000_000,
            help="Minimum games of a generation for each number of players, played in batches of 20.",
        ),
    ] = 20_000
    seats: Annotated[
        str | None, typer.Option(metavar="N,...", help="Numbers of players, like 2,4; all by default.")
    ] = None
    epochs: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="Passes over the games in each fit.")] = 10
    fits: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=100, help="Fits in each generation; the one that predicts results best is kept."
        ),
    ] = 2
    search: Annotated[str, typer.Option(metavar="OPTIONS", help="Options of a search that uses a learned value.")] = (
        SEARCH
    )
    quick: Annotated[
        int, typer.Option(metavar="N", min=1, help="Iterations of a search for four decisions in five.")
    ] = 150
    full: Annotated[int, typer.Option(metavar="N", min=1, help="Iterations of a search for every fifth decision.")] = (
        1600
    )
    budgets: Annotated[
        str, typer.Option(metavar="BUDGET,...", help="Budgets of a move in the matches that a new value must win.")
    ] = "2000it,10ms"
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="BOT", help="Bot that a new value must beat as well; may be repeated."),
    ] = None
    gate_games: Annotated[
        int, typer.Option(metavar="N", min=1, max=1_000_000, help="Maximum number of games in a match of a new value.")
    ] = 4000
    sprt: Annotated[
        str, typer.Option(metavar="ELO0,ELO1", help="Elo differences that the matches of a new value decide between.")
    ] = "0,20"
    games_only: Annotated[
        bool, typer.Option("--games-only", help="Play the games of the next generation, and exit.")
    ] = False
    seed: SeedOption = 0

    def plan(self) -> "LearningPlan":
        """Return the plan of learning. Raises BadOption, BadLimit, BadPlan."""
        from clerestory.search.training.chunks import GAMES_PER_CHUNK
        from clerestory.search.training.fit import Schedule
        from clerestory.search.training.plan import LearningPlan, OnePlyHabits
        from clerestory.search.training.selfplay import Habits

        with argument("--search"):
            search = read_options(self.search)
        return LearningPlan(
            seats=read_seats(self.game, self.seats),
            load=loader(self.game),
            chunks=math.ceil(self.games / GAMES_PER_CHUNK),
            seed=self.seed,
            habits=Habits(quick=self.quick, full=self.full),
            schedule=Schedule(epochs=self.epochs, seed=self.seed),
            search=search,
            one_ply=OnePlyHabits(rounds=self.one_ply),
            fits=self.fits,
        )

    def gate(self) -> "GateOptions":
        """Return the matches that a candidate must win. Raises BadOption, BadPlan."""
        from clerestory.cli.matches import read_sprt
        from clerestory.search.arena.bots import Budget, parse_bot
        from clerestory.search.training.gate import GateOptions

        test = read_sprt(self.sprt)
        budgets, against = tuple(self.budgets.split(",")), tuple(self.against or ())
        with argument("--budgets"):
            for budget in budgets:
                Budget.parse(budget)
        with argument("--against"):
            for bot in against:
                parse_bot(bot)
        return GateOptions(budgets, against, self.gate_games, test.elo0, test.elo1)


def read_seats(name: str, text: str | None) -> tuple[int, ...]:
    """Return the numbers of players. Raises BadOption."""
    if text is None:
        return tuple(chosen_game(name, given="GAME").seats)
    if not re.fullmatch(r"\d{1,2}(,\d{1,2})*", text, re.ASCII):
        raise BadOption(f"--seats: {text!r} is not a list of numbers like 2,4")
    numbers = sorted(set(map(int, text.split(","))))
    chosen_game(name, *numbers, given="GAME")
    return tuple(numbers)


@grouped()
def learn(options: LearningOptions, workers: WorkerOptions = WORKERS) -> None:
    """Train a value network for GAME by self-play; matches decide whether each new one is better."""
    require_numpy()
    number, crew = workers.number(), workers.crew()
    if "," in str(options.out):
        raise BadOption(f"--out: {options.out} has a comma, which the options of a bot cannot hold")
    plan, gate = options.plan(), options.gate()
    if options.games_only:
        play_games_only(plan, options.out, number, crew)
    else:
        run_learning(plan, gate, options.out, options.generations, number, crew)


def require_numpy() -> None:
    """Raise BadOption if NumPy is not installed; fit on one thread, so that equal games give equal weights."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    try:
        import numpy  # noqa: F401
    except ModuleNotFoundError:
        raise BadOption("learn: NumPy is not installed: pip install 'clerestory[numpy]'") from None


# -- the work, which needs NumPy -------------------------------------------------------------------


def run_learning(
    plan: "LearningPlan", gate: "GateOptions", out: Path, generations: int, workers: int, crew: "Crew"
) -> None:
    """Learn until the folder holds the given number of generations, and print the result of each."""
    from clerestory.search.training import loop

    with watching() as watch:
        failed = 0
        for record in loop.learn(plan, gate, out, generations, loop.Resources(workers, crew, watch)):
            typer.echo(summary(record))
            failed = 0 if record["gate"]["passed"] else failed + 1
    if failed == loop.PATIENCE:
        typer.echo(f"the run has ended: {failed} generations in a row did not pass")


def play_games_only(plan: "LearningPlan", out: Path, workers: int, crew: "Crew") -> None:
    """Play the games of the first generation that has not been through the gate."""
    from clerestory.search.training import loop

    loop.require_ours(plan, out)
    with watching() as watch:
        loop.play(plan, out, loop.due(out), plan.seats, loop.Resources(workers, crew, watch))


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


def watching() -> AbstractContextManager["Watch"]:
    """Return a context whose value shows the progress of a stage."""
    from clerestory.cli.screen import progress_bar

    return progress_bar(every=LINES_INTERVAL_S)
