"""`clerestory rules`: the cards of a game in a language, each value with its source."""

from pathlib import Path
from typing import Annotated

import typer

from clerestory.cli.options import DEFAULT_GAME, BadOption, GameOption, JsonOption, chosen_game
from clerestory.texts.languages import ENGLISH, LANGUAGES, BadLanguage, language_of

CheckOption = Annotated[
    Path | None,
    typer.Option("--check", metavar="FILE", help="Print only what differs in this catalogue; exit with 1 if anything."),
]
LanguageOption = Annotated[
    str, typer.Option("--language", metavar="TAG", help=f"Language of the cards: {', '.join(LANGUAGES)}.")
]


def rules(
    game: GameOption = DEFAULT_GAME,
    check: CheckOption = None,
    language: LanguageOption = ENGLISH,
    as_json: JsonOption = False,
) -> None:
    """Print the card catalogue in use, with the source of every value, or how another catalogue differs from it."""
    from clerestory.cli.cards import check_catalogue, show_cards

    if check is not None:
        check_catalogue(check, chosen_language(language), as_json=as_json)
    else:
        show_cards(chosen_game(game), chosen_language(language), as_json=as_json)


def chosen_language(tag: str) -> str:
    """Return the language of a tag. Raises BadOption."""
    try:
        return language_of(tag)
    except BadLanguage as error:
        raise BadOption(f"--language: {error}") from None
