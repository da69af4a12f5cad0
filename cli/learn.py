"""`clerestory learn`: a value learned by self-play, generation after generation."""

import math
import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from clerestory.cli.arena import progress_bar
from clerestory.cli.crew import OnOption, Place, RayAddressOption, WorkersOption, chosen_crew, load_game
from clerestory.cli.options import CATALOGUES, SeedOption, chosen_game, chosen_seats
from clerestory.learn.chunks import GAMES_PER_CHUNK, play_chunks, stored
from clerestory.learn.selfplay import SelfPlay


def learn(
    game: Annotated[str, typer.Argument(help="Name of the game.")],
    out: Annotated[Path, typer.Option(help="Folder to keep everything in, and go on from.")],
    seats: Annotated[str, typer.Option(help="Numbers of players, separated by commas.")] = "2",
    games: Annotated[int, typer.Option(min=1, max=10_000_000, help="Of each number of players, at least.")] = 6000,
    workers: WorkersOption = None,
    on: OnOption = Place.PROCESSES,
    ray_address: RayAddressOption = None,
    seed: SeedOption = 0,
) -> None:
    """Learn."""
    chunks = math.ceil(games / GAMES_PER_CHUNK)
    for players in map(int, seats.split(",")):
        chosen_seats(chosen_game(game), players)
        plan = SelfPlay(partial(load_game, game, CATALOGUES.get(game)), players, 0, seed)
        folder = out / "generation-0" / f"{players}-players"
        with progress_bar(chunks) as step:
            step(stored(folder, chunks))
            for _ in play_chunks(
                plan, folder, chunks, workers=workers or os.cpu_count() or 1, crew=chosen_crew(on, ray_address)
            ):
                step(1)
