"""The options of `clerestory learn`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from clerestory.cli.options import SeedOption
from clerestory.search.options import LEARNING, write_options

SEARCH = write_options(LEARNING)


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """What is learned, from which games, and what a new value must beat."""

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
            help="Fewest games of a generation for each number of players; they are played in twenties.",
        ),
    ] = 20_000
    seats: Annotated[
        str | None, typer.Option(metavar="N,...", help="Numbers of players, like 2,4; all by default.")
    ] = None
    epochs: Annotated[
        int, typer.Option(metavar="N", min=1, max=1000, help="Passes over the games when a value is fitted.")
    ] = 10
    fits: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=100, help="Fits of a generation; the one that foresees results best is kept."
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
        int, typer.Option(metavar="N", min=1, max=1_000_000, help="Most games of a match of a new value.")
    ] = 4000
    sprt: Annotated[
        str, typer.Option(metavar="ELO0,ELO1", help="Elo differences that the matches of a new value decide between.")
    ] = "0,20"
    games_only: Annotated[
        bool, typer.Option("--games-only", help="Play the games of the next generation, and exit.")
    ] = False
    seed: SeedOption = 0
