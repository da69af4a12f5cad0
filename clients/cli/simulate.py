"""`clerestory simulate`: games of random players, counted and optionally recorded."""

from pathlib import Path
from typing import Annotated

import typer

from clerestory.cli.options import BadOption, GameOption, JsonOption, SeatsOption, SeedOption, chosen_game

MAX_SEED = 2**64 - 1


def simulate(
    game: GameOption,
    seats: SeatsOption = 2,
    games: Annotated[int, typer.Option(metavar="N", min=1, max=10_000_000, help="Number of games.")] = 100,
    seed: SeedOption = 0,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Record every game in this file, as JSON lines.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play games at random; game i has the seed SEED + i."""
    if seed + games - 1 > MAX_SEED:
        raise BadOption(f"--seed: must be at most {MAX_SEED - games + 1} for {games} games")
    from clerestory.cli.simulating import simulate_games

    simulate_games(chosen_game(game, seats), seats, range(seed, seed + games), out, as_json=as_json)
