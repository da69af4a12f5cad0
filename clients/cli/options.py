"""Options that several commands share, and their checks."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clerestory.engine.names import NAMES

if TYPE_CHECKING:
    from clerestory.engine import Game
    from clerestory.engine.errors import BadCatalogue

CATALOGUES: dict[str, str] = {}  # files of this command's options --catalogue, by game

DEFAULT_GAME = "cathedral"
GAME_HELP = "The game: cathedral (The Pillars of the Earth), duel (Builders Duel) or toy (tiny, for tests)."
GameOption = Annotated[str, typer.Option("--game", metavar="GAME", help=GAME_HELP)]
GivenGameOption = Annotated[  # of commands that may read a file, which names its game
    str | None, typer.Option("--game", metavar="GAME", show_default=DEFAULT_GAME, help=GAME_HELP)
]
SeatsOption = Annotated[int, typer.Option("--seats", metavar="N", help="Number of players.")]
SeedOption = Annotated[
    int,
    typer.Option("--seed", metavar="N", min=0, max=2**64 - 1, help="Seed of all luck: equal seeds give equal games."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class BadOption(ValueError):
    """An option or an argument is invalid; the message names it."""


class BadCards(BadOption):
    """What is wrong with the cards of a file; `said` has it in a language.

    Args:
        file: that they are of, before what is wrong with them.
        faults: those of the cards.
    """

    def __init__(self, file: str, faults: "BadCatalogue") -> None:
        super().__init__(f"{file}{faults}")
        self._file, self._faults = file, faults

    def said(self, language: str) -> str:
        """Return it in a language."""
        return f"{self._file}{self._faults.said(language)}"


def use_catalogue(path: Path) -> None:
    """Use the cards of a file, and those of our children. Raises BadOption, GameError."""
    from clerestory.engine.games import game_of_catalogue

    with naming(path):
        rules = game_of_catalogue(path)
    CATALOGUES[rules.name] = str(path.resolve())
    announce_value(rules)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the file of cards in front of what is wrong with them. Raises BadOption."""
    from clerestory.engine.errors import BadCatalogue

    try:
        yield
    except BadCatalogue as error:
        named = any(fault.description.text.code == "fault.file" for fault in error.violations)
        raise BadCards("" if named else f"{path}: ", error) from None


def announce_value(rules: "Game") -> None:
    """Say on standard error if the shipped learned value cannot be used with these cards."""
    from clerestory.engine.value import LEARNED, is_shipped, value_in_use

    value, why = value_in_use(rules)
    if value != LEARNED and is_shipped(rules.name):
        typer.echo(f"{rules.name}: the search uses the hand-made value: {why}", err=True)


def catalogue_options() -> list[str]:
    """Return our options --catalogue, for a server or a worker that we start."""
    return [word for path in CATALOGUES.values() for word in ("--catalogue", path)]


def chosen_game(name: str, *seats: int, given: str = "--game") -> "Game":
    """Return the game `given` by an option, for each of the numbers of seats. Raises BadOption."""
    if name not in NAMES:
        raise BadOption(f"{given}: {name!r} is not one of {', '.join(NAMES)}")
    from clerestory.engine import GAMES

    game = GAMES[name]
    for number in seats:
        if number not in game.seats:
            raise BadOption(f"--seats: {number}, but {name} is for {', '.join(map(str, game.seats))} players")
    return game


def require_same_game(given: str | None, name: str) -> None:
    """Raise BadOption if `--game` was given, and is not the game of what was read."""
    if given not in (None, name):
        raise BadOption(f"--game: {given!r}, but this is a game of {name}")


def require_open(name: str, stream: object) -> None:
    """Raise BadOption for a standard stream that is closed, as `<&-` does it."""
    if stream is None:
        raise BadOption(f"{name} is closed; leave it open, or redirect it to a file")


def typed_line(prompt: str) -> str:
    """Return the next line typed. Raises EOFError at the end of input, and BadOption if it is closed."""
    require_open("standard input", sys.stdin)
    require_open("standard output", sys.stdout)
    return input(prompt)


def require_regular(option: str, path: Path | None) -> None:
    """Raise BadOption for a file of results that is something else, such as a device that can be read without end."""
    if path is not None and path.exists() and not path.is_file():
        raise BadOption(f"{option}: {path} is not a regular file")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Name the file that this block writes where an error does not, such as that of a full disk. Raises OSError."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def read_seconds(text: str, least: float, most: float, option: str = "--time") -> float:
    """Return the seconds of a time between two others. Raises BadOption, which names the option."""
    from clerestory.durations import parse_duration  # which help does not need

    seconds = parse_duration(text)
    if seconds is None or not least <= seconds <= most:
        raise BadOption(f"{option}: {text[:80]!r} is not a time like 500ms or 2s, from {least:g}s to {most:g}s")
    return seconds


def read_text(path: str) -> str:
    """Return the text of a file, or of standard input for `-`: UTF-8, or what begins as UTF-16 or UTF-32.

    Editors on Windows begin a text with a byte order mark, which is left out. Raises BadOption.
    """
    content = read_file(path)
    return content.decode(json.detect_encoding(content), errors="replace")


def read_file(path: str) -> bytes:
    """Return what a file, or standard input for `-`, holds. Raises BadOption."""
    if path == "-":
        require_open("standard input", sys.stdin)
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise BadOption(f"{path}: {error.strerror}") from None
