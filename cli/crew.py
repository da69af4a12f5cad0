"""Options shared by the commands that play many games: the bots, the budget, where games run."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from typing import Annotated

import typer

from clerestory.arena.bots import BOTS
from clerestory.arena.on_ray import on_ray
from clerestory.arena.pool import Crew, on_processes
from clerestory.cli.options import CATALOGUES, DEFAULT_GAME, BadOption, GameOption, JsonOption, SeatsOption, SeedOption
from clerestory.engine import game
from clerestory.engine.core import Game


class Place(StrEnum):
    """Where games are played."""

    PROCESSES = "processes"
    RAY = "ray"


BotArgument = Annotated[
    str,
    typer.Argument(
        metavar="BOT", help=f"Name and options, as in greedy:samples=16 (see --bots); names are {', '.join(BOTS)}."
    ),
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

    def crew(self) -> Crew:
        """Return the crew that runs the games. Raises BadOption."""
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
    budget: Annotated[
        str, typer.Option(metavar="BUDGET", help="Budget of a move: a time like 100ms, or iterations like 1000it.")
    ] = "100ms"
    seed: SeedOption = 0
    as_json: JsonOption = False


MATCH = MatchOptions()


def loader(name: str) -> Callable[[], Game]:
    """Return a function that loads a game with this command's catalogue, in any process."""
    return partial(load_game, name, CATALOGUES.get(name))


@cache
def load_game(name: str, catalogue: str | None) -> Game:
    """Return a game with the cards of a catalogue file."""
    return game(name, catalogue=catalogue)
