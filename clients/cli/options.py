"""The options of commands: those that several share with their checks, dataclasses of options, and settings."""

import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clerestory.engine.names import NAMES

if TYPE_CHECKING:
    from clerestory.declared import Declaration
    from clerestory.engine import Game


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

Command = Callable[..., None]

METAVARS: Mapping[Any, str] = {int: "N", float: "X", Path | None: "FILE", str: "TEXT", tuple[str, ...]: "TEXT"}
URLS = ("`http://HOST:PORT`", "`https://HOST/PATH`,", "`mailto:ADDRESS`")
NOUNS = {"`HOST:PORT`": "HOST:PORT", **dict.fromkeys(URLS, "URL")} | {
    noun: noun.upper() for noun in ("address", "bytes", "days", "file", "folder", "name", "origin", "seconds")
}
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
ROUNDED = re.compile(r"\d+ \((\d+ [kMG]?B)\)")  # "1073741824 (1 GB)"


class BadOption(ValueError):
    """An option or an argument is invalid; the message names it."""


class BadArgument(BadOption):
    """The error of an argument, an option or a file, with its name; `in_language` returns it in a language."""

    def __init__(self, name: str, error: ValueError) -> None:
        super().__init__(f"{name}: {error}")
        self._name, self._error = name, error

    def in_language(self, language: str) -> str:
        """Return it in a language."""
        translated = getattr(self._error, "in_language", None)
        return f"{self._name}: {translated(language) if translated else self._error}"


@contextmanager
def argument(name: str) -> Iterator[None]:
    """Name an argument, an option or a file where an error is about its value. Raises BadOption."""
    try:
        yield
    except BadOption:
        raise
    except ValueError as error:
        raise BadArgument(name, error) from None


def position_in(path: str) -> AbstractContextManager[None]:
    """Name the file of a position, unless it is standard input, where an error is about the position."""
    return nullcontext() if path == "-" else argument(path)


def use_catalogue(path: Path) -> None:
    """Use the cards of a file, also in child processes. Raises BadOption, GameError."""
    from clerestory.engine.games import game_of_catalogue

    with naming(path):
        rules = game_of_catalogue(path)
    CATALOGUES[rules.name] = str(path.resolve())
    announce_value(rules)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Prefix the faults of cards with the name of their file. Raises BadOption."""
    from clerestory.engine.errors import BadCatalogue

    try:
        yield
    except BadCatalogue as error:
        if any(fault.description.text.code == "fault.file" for fault in error.violations):
            raise
        raise BadArgument(str(path), error) from None


def announce_value(rules: "Game") -> None:
    """Say on standard error if the shipped learned value cannot be used with these cards."""
    from clerestory.engine.values.value import HAND, shipped_values, value_in_use

    value, why = value_in_use(rules)
    if value == HAND and shipped_values(rules.name):
        typer.echo(f"{rules.name}: the search uses the hand-made value: {why}", err=True)


def catalogue_options() -> list[str]:
    """Return our options --catalogue, for child servers and workers."""
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
    """Raise BadOption if `--game` was given, and differs from the game of the file."""
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


def announce(text: str) -> None:
    """Print a line; ignore a closed pipe, as after `| head -1`, or a full disk, and go on serving."""
    try:
        typer.echo(text)
    except OSError:  # else Python would try to flush at exit, and report the failure
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def require_regular(option: str, path: Path | None) -> None:
    """Raise BadOption unless a file of results is a regular file; a device could be endless."""
    if path is not None and path.exists() and not path.is_file():
        raise BadOption(f"{option}: {path} is not a regular file")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Add the file that this block writes to errors without one, such as those of a full disk. Raises OSError."""
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
    """Return the text of a file, or of standard input for `-`: UTF-8, or UTF-16 or UTF-32 by its first bytes.

    Editors on Windows begin a text with a byte order mark, which is left out. Raises BadOption.
    """
    content = read_file(path)
    return content.decode(json.detect_encoding(content), errors="replace")


def read_file(path: str) -> bytes:
    """Return the contents of a file, or of standard input for `-`. Raises BadOption."""
    if path == "-":
        require_open("standard input", sys.stdin)
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise BadOption(f"{path}: {error.strerror}") from None


# -- dataclasses of options ------------------------------------------------------------------------


def grouped(**declared: Mapping[str, Any]) -> Callable[[Command], Command]:
    """Return a decorator that turns the fields of a command's dataclass parameters into options.

    If a parameter has an instance as its default, the instance's values are the defaults of the options.

    Args:
        declared: options for dataclasses whose fields are not annotated with them, by parameter and field name.
    """

    def decorate(command: Command) -> Command:
        given = inspect.signature(command).parameters.values()
        groups = [one for one in given if is_dataclass(one.annotation)]

        @wraps(command)
        def call(**values: Any) -> None:
            for group in groups:
                own = {field.name: values.pop(field.name) for field in fields(group.annotation)}
                values[group.name] = group.annotation(**own)
            command(**values)

        options = [option for one in given for option in spread(one, declared.get(one.name, {}))]
        call.__signature__ = Signature(options)  # type: ignore[attr-defined]
        call.__annotations__ = {option.name: option.annotation for option in options}
        return call

    return decorate


def spread(parameter: Parameter, declared: Mapping[str, Any]) -> Iterator[Parameter]:
    """Yield the options of a parameter: itself, or the fields of its dataclass."""
    if not is_dataclass(parameter.annotation):
        yield parameter.replace(kind=Parameter.KEYWORD_ONLY)
        return
    for field in fields(parameter.annotation):
        kind = Annotated[field.type, declared[field.name]] if declared else field.type
        yield Parameter(
            field.name, Parameter.KEYWORD_ONLY, default=default_of(field, parameter.default), annotation=kind
        )


def default_of(field: Field[Any], instance: Any) -> Any:
    """Return the default of an option, from the instance if there is one; Parameter.empty if it is required."""
    if instance is not Parameter.empty:
        return getattr(instance, field.name)
    return Parameter.empty if field.default is MISSING else field.default


# -- settings that the environment can give as well ------------------------------------------------


def settings_of(defaults: Any) -> Mapping[str, Any]:
    """Return the options of a dataclass of settings, by the names of its fields, given one with its defaults."""
    from clerestory.declared import declarations  # which most commands do not need

    return {name: setting_of(type(defaults), name, getattr(defaults, name)) for name in declarations(type(defaults))}


def setting_of(kind: type, field: str, default: object = None) -> Any:
    """Return the option of one field of a dataclass of settings."""
    from clerestory.declared import declarations

    declaration = declarations(kind)[field]
    return typer.Option(
        option_name(field, declaration),
        metavar=metavar_of(field, declaration, kind.__dataclass_fields__[field].type),  # type: ignore[attr-defined]
        help=plain(declaration.meaning),
        envvar=variable_name(field, declaration),
        show_default=shown_default(default, declaration),
    )


def metavar_of(field: str, declaration: "Declaration", kind: Any) -> str | None:
    """Return the placeholder of a value in help: the noun at the start of its meaning, if `NOUNS` has it."""
    from clerestory.declared import OneOf

    if isinstance(declaration.range, OneOf):
        return field.rpartition("_")[2].upper()
    return NOUNS.get(declaration.meaning.split()[0]) or METAVARS.get(kind)


def shown_default(default: object, declaration: "Declaration") -> bool | str:
    """Return whether help shows a default, or the words that it shows in its place."""
    from clerestory.declared import in_words

    words = in_words(default, declaration)
    return words not in ("none", "no") if words in ("none", "no", str(default)) else ROUNDED.sub(r"\1", words)


def option_name(field: str, declaration: "Declaration") -> str:
    """Return the option of a field."""
    return f"--{(declaration.name or field).replace('_', '-')}"


def variable_name(field: str, declaration: "Declaration") -> str:
    """Return the environment variable of a field."""
    return f"CLERESTORY_{(declaration.name or field).upper()}"


def plain(meaning: str) -> str:
    """Return a phrase of Markdown as a sentence for a terminal."""
    text = LINK.sub(r"\1", meaning)
    return f"{text[0].upper()}{text[1:]}."
