"""Texts as codes with arguments, which are said in a language only where somebody reads them."""

from typing import NamedTuple, Union

from clerestory.texts import has, say
from clerestory.texts.languages import ENGLISH

SERVICE = "service"

Argument = Union[float, str, "Quoted", "Text"]


class Quoted(NamedTuple):
    """An action of a game.

    Attributes:
        action: its text in records.
        label: the same in plain English.
    """

    action: str
    label: str


class Text(NamedTuple):
    """A sentence, or a part of one.

    Attributes:
        code: key of its pattern, in the file of the service or else in that of the game.
        arguments: by name.
    """

    code: str
    arguments: tuple[tuple[str, Argument], ...] = ()


def text(code: str, **arguments: Argument) -> Text:
    """Return a text."""
    return Text(code, tuple(arguments.items()))


def said(one: Text, game: str, language: str = ENGLISH) -> str:
    """Return a text in a language; `game` is the name of the game that it is about."""
    arguments = {name: spoken(value, game, language) for name, value in one.arguments}
    return say(SERVICE if has(SERVICE, one.code) else game, one.code, language=language, **arguments)


def spoken(value: Argument, game: str, language: str) -> float | str:
    """Return an argument as it is said."""
    if isinstance(value, Text):
        return said(value, game, language)
    return value.label if isinstance(value, Quoted) else value
