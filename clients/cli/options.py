"""Options that several commands share, and what they refuse."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from clerestory.engine import GAMES
from clerestory.engine.core import Game

GameOption = Annotated[str, typer.Option("--game", help=f"One of {', '.join(GAMES)}.")]
SeatsOption = Annotated[int, typer.Option("--seats", help="Number of players.")]
SeedOption = Annotated[int, typer.Option("--seed", min=0, max=2**64 - 1, help="Of all luck.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def chosen_game(name: str) -> Game:
    """Return the game, or end the command with a message that lists the games."""
    if name not in GAMES:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(GAMES)}", param_hint="--game")
    return GAMES[name]


def chosen_seats(game: Game, seats: int) -> int:
    """Return the number of seats, or end the command with a message."""
    if seats not in game.seats:
        raise typer.BadParameter(f"{seats} is not one of {', '.join(map(str, game.seats))}", param_hint="--seats")
    return seats


def read_file(path: str, name: str) -> bytes:
    """Return what a file, or standard input for `-`, holds; or end the command with a message."""
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise typer.BadParameter(f"{path}: {error.strerror}", param_hint=name) from None
