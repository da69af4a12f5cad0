"""`clerestory new`: writes a position file, as input for the other commands."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clerestory.cli.options import GameOption, SeatsOption, SeedOption, chosen_game, writing

if TYPE_CHECKING:
    from clerestory.engine import State


def new(
    name: GameOption,
    seats: SeatsOption = 2,
    seed: SeedOption = 0,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="File to write; standard output by default.")] = None,
) -> None:
    """Write the position at the first decision of a game, hidden cards included."""
    text = first_decision(name, seats, seed).to_json(indent=2)
    if out is None:
        typer.echo(text)
    else:
        with writing(out):
            out.write_text(text + "\n")


def first_decision(name: str, seats: int, seed: int) -> "State":
    """Return the first position at which a seat decides."""
    from clerestory.engine import Rng  # with the games, which help does not need

    rng = Rng(seed)
    state = chosen_game(name, seats).new(seats, rng)
    state.play_nature(rng)
    return state
