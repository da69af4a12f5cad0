"""`clerestory rules`: the cards of a game in a language, each value with its source."""

from pathlib import Path
from typing import Annotated

import typer

from clerestory.cli.language import LanguageOption, speak
from clerestory.cli.options import DEFAULT_GAME, GivenGameOption, JsonOption, chosen_game

CheckOption = Annotated[
    Path | None,
    typer.Option(
        "--check",
        metavar="FILE",
        help="Print only what differs in this catalogue; the exit code is 1 if anything does.",
    ),
]


def rules(
    game: GivenGameOption = None,
    check: CheckOption = None,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the card catalogue in use, with the source of every value, or how another catalogue differs from it."""
    from clerestory.cli.cards import check_catalogue, show_cards

    told = speak(language, as_json=as_json)
    if check is not None:
        check_catalogue(check, game, told, as_json=as_json)
    else:
        show_cards(chosen_game(game or DEFAULT_GAME), told, as_json=as_json)
