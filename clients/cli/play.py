"""`clerestory play`: a game in the terminal, against people and levels, or beside a board on the table."""

import sys
from typing import Annotated

import typer

from clerestory.cli.access import PLAIN, Access
from clerestory.cli.grouped import grouped
from clerestory.cli.language import LanguageOption, speak
from clerestory.cli.play_options import PlayOptions

OPTIONS = PlayOptions()


@grouped()
def play(
    options: PlayOptions = OPTIONS,
    access: Access = PLAIN,
    language: LanguageOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print events as JSON lines; text for people goes to standard error.")
    ] = False,
) -> None:
    """Play a game; type `help` for the commands.

    With --server, the server keeps a new game, unless --record keeps it here. To continue it, give the ID#TOKENS that
    is shown at the end as `start`; the ID alone takes an open seat.
    """
    from clerestory.cli.opening import play_game  # the games and clients, which help does not need

    speak(language, as_json=as_json)
    sys.exit(play_game(options, access, as_json=as_json))
