"""`clerestory arena` and `tune`: matches between two bots, and options tuned by matches."""

from pathlib import Path
from typing import Annotated

import typer

from clerestory.cli.game_options import MATCH, WORKERS, MatchOptions, WorkerOptions, loader
from clerestory.cli.options import argument, chosen_game, grouped


def list_bots(wanted: bool) -> None:
    """Print every bot and every option of a search, and end."""
    if wanted:
        from clerestory.cli.matches import bots_in_words

        typer.echo(bots_in_words())
        raise typer.Exit


BotsOption = Annotated[
    bool, typer.Option("--bots", callback=list_bots, is_eager=True, help="List the bots with their options, and exit.")
]
BotArgument = Annotated[
    str,
    typer.Argument(metavar="BOT", help="Name and options of a player, as in greedy:samples=16; --bots lists them all."),
]
RangesArgument = Annotated[
    list[str], typer.Argument(metavar="PARAM=LOW..HIGH", help="Option with its range; whole numbers if both ends are.")
]


# -- clerestory arena ------------------------------------------------------------------------------


@grouped()
def arena(
    a: BotArgument,
    b: BotArgument,
    options: MatchOptions = MATCH,
    games: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=10_000_000, help="Minimum number of games; each deal is played from every seat."
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
    """Play matches between two bots: the first takes every seat of every deal in turn, the second all others."""
    from clerestory.cli.matches import play_bots

    chosen_game(options.game, options.seats)
    play_bots((a, b), options, games, out, workers, sprt, luck)


# -- clerestory tune -------------------------------------------------------------------------------


@grouped()
def tune(
    bot: BotArgument,
    params: RangesArgument,
    against: Annotated[
        str | None,
        typer.Option(metavar="BOT", help="Opponent of both variants in each step; by default they play each other."),
    ] = None,
    options: MatchOptions = MATCH,
    games: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            max=10_000_000,
            help="Minimum number of games in all steps together; steps are always completed.",
        ),
    ] = 4000,
    deals: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=100_000, help="Deals of each match within a step, each played from every seat."
        ),
    ] = 8,
    confirm: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=10_000_000, help="Games between the final and the initial options, at the end."
        ),
    ] = 400,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File of the steps; those already there are not run again.")
    ] = None,
    workers: WorkerOptions = WORKERS,
    bots: BotsOption = False,  # noqa: ARG001  # its callback does the work
) -> None:
    """Tune options of BOT within ranges to win more games, then play the result against the initial options."""
    from clerestory.cli.matches import require_bot, tune_and_confirm
    from clerestory.cli.remote_bots import parse_any_bot
    from clerestory.search.arena.tune import TunedOption, TuningPlan

    game, seats = options.game, options.seats
    chosen_game(game, seats)
    require_bot("BOT", bot)
    if against is not None:
        require_bot("--against", against)
    with argument("PARAM"):
        ranges = tuple(map(TunedOption.parse, params))
    plan = TuningPlan(loader(game), seats, bot, ranges, against, options.budget(), options.seed, deals, parse_any_bot)
    tune_and_confirm(plan, games, confirm, out, workers, as_json=options.as_json)
