"""`clerestory puzzle`: find the best action in positions where one is clearly best."""

from typing import Annotated

import typer

from clerestory.cli.language import LanguageOption, speak
from clerestory.cli.options import DEFAULT_GAME, GameOption, JsonOption, chosen_game
from clerestory.engine.tuning import NUM_LEVELS

NumberArgument = Annotated[
    int | None, typer.Argument(metavar="NUMBER", min=1, help="Number of the puzzle; by default a random one.")
]


def solve(
    number: NumberArgument = None,
    game: GameOption = DEFAULT_GAME,
    level: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=NUM_LEVELS, help="Choose among those that this level of play just solves."
        ),
    ] = None,
    seats: Annotated[int | None, typer.Option(metavar="N", help="Choose among those with so many players.")] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, max=2**64 - 1, help="Seed of the random choice; random by default."),
    ] = None,
    action: Annotated[str | None, typer.Option("--try", metavar="ACTION", help="Judge this action, and exit.")] = None,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a position with one clearly best action, and say what each action that you try is worth."""
    from clerestory.cli.solving import chosen, show_puzzle

    speak(language, as_json=as_json)
    show_puzzle(chosen(chosen_game(game), number, level, seats, seed), action, as_json=as_json)
