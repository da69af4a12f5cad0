"""`clerestory lesson`: learn a game in short lessons."""

from typing import Annotated

import typer

from clerestory.cli.language import LanguageOption, speak


def learn(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Name of the lesson; without one, all are listed.")
    ] = None,
    language: LanguageOption = None,
) -> None:
    """Play a lesson: it says what a game is about, step by step, and sets tasks on a board with an opponent."""
    from clerestory.cli.teaching import list_lessons, teach
    from clerestory.server.lessons import lesson

    locale = speak(language)
    if name is None:
        list_lessons(locale)
    else:
        teach(lesson(name), locale)
