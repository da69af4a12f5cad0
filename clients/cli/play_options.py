"""The options of `clerestory play`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from clerestory.cli.access import ServerOption
from clerestory.cli.options import DEFAULT_GAME, GivenGameOption

StartArgument = Annotated[
    str | None, typer.Argument(metavar="START", help="A position or record to continue from; a new game by default.")
]
GameSeedOption = Annotated[
    int | None, typer.Option(metavar="N", min=0, max=2**64 - 1, help="Seed of all luck; random by default.")
]
RecordOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File to record the game in, move by move, so that it can be continued later."),
]


def list_opponents(wanted: bool) -> None:
    """Print every character with its level and manner, and end."""
    if wanted:
        from clerestory.cli.playing import opponent
        from clerestory.engine.tuning import CHARACTERS

        for character in CHARACTERS:
            typer.echo(opponent(character, character))
        raise typer.Exit


OpponentsOption = Annotated[
    bool,
    typer.Option(
        "--opponents", callback=list_opponents, is_eager=True, help="List the opponents for --seats, and exit."
    ),
]


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """Who plays what, from where, and how it is shown."""

    start: StartArgument = None
    seats: Annotated[
        str,
        typer.Option(
            metavar="WHO,...",
            help="Who plays, from seat 0: person, bot (full strength), level:1 to level:8, or an opponent.",
        ),
    ] = "person,bot"
    game: GivenGameOption = None
    seed: GameSeedOption = None
    time: Annotated[str, typer.Option(metavar="TIME", help="Time for a bot's move, and for a hint.")] = "1s"
    record: RecordOption = None
    table: Annotated[
        bool, typer.Option("--table", help="Follow a physical game: type in moves and chance outcomes.")
    ] = False
    web: Annotated[bool, typer.Option("--web", help="Play in a browser, on a private page.")] = False
    server: ServerOption = None
    opponents: OpponentsOption = False

    @property
    def new_game(self) -> str:
        """The game that is played where none goes on."""
        return self.game or DEFAULT_GAME

    @property
    def names(self) -> list[str]:
        """Who plays, by seat."""
        return [word.strip() for word in self.seats.split(",")]
