"""`clerestory arena`: two bots against each other, on the same deals from every seat."""

from pathlib import Path
from typing import Annotated

import typer

from clerestory.cli.crew import MATCH, WORKERS, BotArgument, BotsOption, MatchOptions, WorkerOptions
from clerestory.cli.grouped import grouped
from clerestory.cli.options import chosen_game


@grouped()
def arena(
    a: BotArgument,
    b: BotArgument,
    options: MatchOptions = MATCH,
    games: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=10_000_000, help="Fewest games to play; each deal is played from every seat."
        ),
    ] = 400,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File of the games; those already there are not played again.")
    ] = None,
    workers: WorkerOptions = WORKERS,
    sprt: Annotated[
        str | None,
        typer.Option(metavar="ELO0,ELO1", help="End once a sequential test decides between these two Elo differences."),
    ] = None,
    luck: Annotated[
        str,
        typer.Option(metavar="VALUE", help="Also report results without luck, measured by a learned value, as in net."),
    ] = "",
    bots: BotsOption = False,  # noqa: ARG001  # its callback does the work
) -> None:
    """Play the first bot in every seat of every deal, the second one in all others, and say which is stronger."""
    from clerestory.cli.matches import play_bots

    chosen_game(options.game, options.seats)
    play_bots((a, b), options, games, out, workers, sprt, luck)
