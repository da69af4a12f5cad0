"""`clerestory new`: a position file, to have something to ask about."""

from pathlib import Path
from typing import Annotated

import typer

from clerestory.engine import NATURE, GameError, Rng, State, game


def new(
    name: Annotated[str, typer.Option("--game", help="The game.")],
    seats: Annotated[int, typer.Option(help="Number of players.")] = 2,
    seed: Annotated[int, typer.Option(min=0, max=2**64 - 1, help="Of the deal and the chance events.")] = 0,
    out: Annotated[Path | None, typer.Option(help="The file to write; else standard output.")] = None,
) -> None:
    """Write the position at the first decision of a game, hidden cards included."""
    text = first_decision(name, seats, seed).to_json(indent=2)
    if out is None:
        typer.echo(text)
    else:
        out.write_text(text + "\n")


def first_decision(name: str, seats: int, seed: int) -> State:
    """Return the position at which a seat decides first. Raises GameError."""
    try:
        rules = game(name)
    except KeyError as error:
        raise GameError(error.args[0]) from None
    rng = Rng(seed)
    state = rules.new(seats, rng)
    while state.turn == NATURE:
        state.play(state.draw(rng))
    return state
