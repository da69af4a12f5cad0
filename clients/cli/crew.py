"""Options shared by the commands that play many games: the bots, the budget, where games run."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated

import typer

from clerestory.cli.options import (
    CATALOGUES,
    DEFAULT_GAME,
    BadOption,
    GameOption,
    JsonOption,
    SeatsOption,
    SeedOption,
    read_seconds,
)

if TYPE_CHECKING:
    from clerestory.engine import Game
    from clerestory.search.arena.pool import Crew

MOVE_TIME = "100ms"  # of a bot
LEAST_TIME, LONGEST_TIME = 1e-6, 3600.0  # seconds of a move


class Place(StrEnum):
    """Where games are played."""

    PROCESSES = "processes"
    RAY = "ray"


def list_bots(wanted: bool) -> None:
    """Print every bot and every option of a search, and end."""
    if wanted:
        from clerestory.cli.bots import bots_in_words

        typer.echo(bots_in_words())
        raise typer.Exit


BotsOption = Annotated[
    bool, typer.Option("--bots", callback=list_bots, is_eager=True, help="List the bots with their options, and exit.")
]
BotArgument = Annotated[
    str,
    typer.Argument(metavar="BOT", help="Name and options of a player, as in greedy:samples=16; --bots lists them all."),
]
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
    """What is played, how long bots think, and how it is reported."""

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
