"""The language of the terminal: chosen by `--language`, else by the environment, else English."""

import os
from collections.abc import Mapping
from typing import Annotated

import typer

from clerestory.cli import locale_around
from clerestory.cli.options import BadOption
from clerestory.i18n.languages import ENGLISH, LANGUAGES, BadLanguage, language_of

LanguageOption = Annotated[
    str | None,
    typer.Option(
        "--language",
        metavar="TAG",
        help=f"Language of the texts: {', '.join(LANGUAGES)}. By default that of LC_ALL, LC_MESSAGES or LANG; JSON is"
        " English.",
    ),
]


def speak(tag: str | None, *, as_json: bool = False) -> str:
    """Speak a language from now on, and return it.

    Args:
        tag: names it; None: that of the environment.
        as_json: a program reads it, which no environment changes.

    Raises BadOption for a tag of no language that there is.
    """
    try:
        chosen = language_of(tag) if tag is not None else ENGLISH if as_json else language_around(os.environ)
    except BadLanguage as error:
        raise BadOption(f"--language: {error}") from None
    from clerestory.server.rpc.locale import LOCALE  # with the games, which help does not need

    LOCALE.set(chosen)
    return chosen


def language_around(environment: Mapping[str, str]) -> str:
    """Return the language that an environment asks for; ENGLISH if it names none that there is."""
    try:
        return language_of(locale_around(environment).partition(".")[0].partition("@")[0])
    except BadLanguage:
        return ENGLISH
