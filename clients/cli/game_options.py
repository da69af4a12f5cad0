"""The options of commands that play games: one game of `play`, or many games of bots."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clerestory.cli.access import ServerOption
from clerestory.cli.options import (
    CATALOGUES,
    DEFAULT_GAME,
    BadOption,
    GameOption,
    GivenGameOption,
    JsonOption,
    SeatsOption,
    SeedOption,
    read_seconds,
)

if TYPE_CHECKING:
    from clerestory.engine import Game
    from clerestory.search.arena.pool import Crew


StartArgument = Annotated[
    str | None, typer.Argument(metavar="START", help="A position or record to continue from; a new game by default.")
]
GameSeedOption = Annotated[
    int | None, typer.Option(metavar="N", min=0, max=2**64 - 1, help="Seed of all luck; random by default.")
]
RecordOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File to record the game in, move by move, so that it can be continued later."),
]

MOVE_TIME = "100ms"  # of a bot
LEAST_TIME, LONGEST_TIME = 1e-6, 3600.0  # seconds of a move


# -- one game --------------------------------------------------------------------------------------


def list_opponents(wanted: bool) -> None:
    """Print every character with its level and manner, and end."""
    if wanted:
        from clerestory.cli.playing import opponent
        from clerestory.engine.tuning import CHARACTERS

        for character in CHARACTERS:
            typer.echo(opponent(character, character))
        raise typer.Exit


OpponentsOption = Annotated[
    bool,
    typer.Option(
        "--opponents", callback=list_opponents, is_eager=True, help="List the opponents for --seats, and exit."
    ),
]


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """Who plays what, from where, and how it is shown."""

    start: StartArgument = None
    seats: Annotated[
        str,
        typer.Option(
            metavar="WHO,...",
            help="Who plays, from seat 0: person, bot (full strength), level:1 to level:8, or an opponent.",
        ),
    ] = "person,bot"
    game: GivenGameOption = None
    seed: GameSeedOption = None
    time: Annotated[str, typer.Option(metavar="TIME", help="Time for a bot's move, and for a hint.")] = "1s"
    record: RecordOption = None
    table: Annotated[
        bool, typer.Option("--table", help="Follow a physical game: type in moves and chance outcomes.")
    ] = False
    web: Annotated[bool, typer.Option("--web", help="Play in a browser, on a private page.")] = False
    server: ServerOption = None
    opponents: OpponentsOption = False

    @property
    def new_game(self) -> str:
        """The game that is played where none goes on."""
        return self.game or DEFAULT_GAME

    @property
    def names(self) -> list[str]:
        """Who plays, by seat."""
        return [word.strip() for word in self.seats.split(",")]


# -- many games ------------------------------------------------------------------------------------


class Place(StrEnum):
    """Where games are played."""

    PROCESSES = "processes"
    RAY = "ray"


WorkersOption = Annotated[
    int | None, typer.Option(metavar="N", min=1, max=1024, help="Processes that play; by default one per core.")
]
OnOption = Annotated[Place, typer.Option(help="Where to play: in processes on this machine, or on Ray.")]
RayAddressOption = Annotated[
    str | None, typer.Option(metavar="HOST:PORT", help="Running cluster, for --on ray; by default one is started.")
]


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """The number of workers and where they run."""

    workers: WorkersOption = None
    on: OnOption = Place.PROCESSES
    ray_address: RayAddressOption = None

    def number(self) -> int:
        """Return the number of workers."""
        return self.workers or os.cpu_count() or 1

    def crew(self) -> "Crew":
        """Return the crew that runs the games. Raises BadOption."""
        from clerestory.search.arena.on_ray import on_ray
        from clerestory.search.arena.pool import on_processes

        if self.on is Place.RAY:
            return partial(on_ray, address=self.ray_address)
        if self.ray_address is not None:
            raise BadOption("--ray-address: requires --on ray")
        return on_processes


WORKERS = WorkerOptions()


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """The game, the time of a move, and the form of the report."""

    game: GameOption = DEFAULT_GAME
    seats: SeatsOption = 2
    time: Annotated[
        str | None, typer.Option(metavar="TIME", help="Time for a move; 100ms unless iterations are given.")
    ] = None
    iterations: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=2**53 - 1, help="Iterations for a move instead of a time.")
    ] = None
    seed: SeedOption = 0
    as_json: JsonOption = False

    def budget(self) -> str:
        """Return what a bot may spend on a move, for `Budget.parse`. Raises BadOption."""
        if self.iterations is None:
            read_seconds(self.time or MOVE_TIME, LEAST_TIME, LONGEST_TIME)
            return self.time or MOVE_TIME
        if self.time is not None:
            raise BadOption("--time: cannot be combined with --iterations")
        return f"{self.iterations}it"


MATCH = MatchOptions()


def loader(name: str) -> "Callable[[], Game]":
    """Return a function that loads a game with this command's catalogue, in any process."""
    return partial(load_game, name, CATALOGUES.get(name))


@cache
def load_game(name: str, catalogue: str | None) -> "Game":
    """Return a game with the cards of a catalogue file."""
    from clerestory.engine import game

    return game(name, catalogue=catalogue)
