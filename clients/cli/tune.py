"""`clerestory tune`: tunes numeric options of a bot in the arena, and measures the result with a match."""

from pathlib import Path
from typing import Annotated

import typer

from clerestory.cli.crew import MATCH, WORKERS, BotArgument, BotsOption, MatchOptions, WorkerOptions, loader
from clerestory.cli.grouped import grouped
from clerestory.cli.options import chosen_game

RangesArgument = Annotated[
    list[str], typer.Argument(metavar="PARAM=LOW..HIGH", help="Option with its range; whole numbers if both ends are.")
]


@grouped()
def tune(
    bot: BotArgument,
    params: RangesArgument,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="BOT", help="Bot that both variants of a step play against; by default they play each other."
        ),
    ] = None,
    options: MatchOptions = MATCH,
    games: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=10_000_000, help="Fewest games of all steps together; steps are always completed."
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
        typer.Option(metavar="N", min=1, max=10_000_000, help="Games between the result and the start, at the end."),
    ] = 400,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File of the steps; those already there are not run again.")
    ] = None,
    workers: WorkerOptions = WORKERS,
    bots: BotsOption = False,  # noqa: ARG001  # its callback does the work
) -> None:
    """Tune options of BOT, in the given ranges, by the games it wins; then play the result against the start."""
    from clerestory.cli.tuning import tune_and_confirm
    from clerestory.search.arena.tune import TunedOption, TuningPlan

    game, seats = options.game, options.seats
    chosen_game(game, seats)
    ranges = tuple(map(TunedOption.parse, params))
    plan = TuningPlan(loader(game), seats, bot, ranges, against, options.budget(), options.seed, deals)
    tune_and_confirm(plan, games, confirm, out, workers, as_json=options.as_json)
