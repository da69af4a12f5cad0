"""`clerestory show` and `replay`: positions and records, for people to read."""

from typing import Annotated

import typer

from clerestory.cli.language import LanguageOption, speak
from clerestory.cli.options import JsonOption, read_text


def show(
    position: Annotated[str, typer.Argument(metavar="POSITION", help="A position file, or - for standard input.")],
    seat: Annotated[int | None, typer.Option(metavar="N", min=0, help="Show only what this seat knows.")] = None,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print a position and its legal actions."""
    from clerestory.cli.showing import show_position

    speak(language, as_json=as_json)
    show_position(read_text(position), seat, as_json=as_json)


def replay(
    record: Annotated[str, typer.Argument(metavar="RECORD", help="A file of records, or - for standard input.")],
    ply: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Print only the position after this many plies (decisions and chance events) of the first game.",
        ),
    ] = None,
    brief: Annotated[bool, typer.Option("--brief", help="Print one line for each game, without its points.")] = False,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Replay recorded games, checking every line, and print how they ended.

    A last game that was broken off, even in the middle of a line, is shown as unfinished.
    """
    from clerestory.cli.showing import replay_records

    speak(language, as_json=as_json)
    replay_records(record, ply, brief=brief, as_json=as_json)
