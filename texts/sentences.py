"""Texts as codes with arguments, which are said in a language only where somebody reads them."""

from collections.abc import Callable
from typing import NamedTuple, Union

from clerestory.texts import has, say
from clerestory.texts.glossary import card_words
from clerestory.texts.languages import ENGLISH

SERVICE = "service"

Argument = Union[float, str, "QuotedAction", "QuotedItem", "Text"]


class QuotedAction(NamedTuple):
    """An action of a game.

    Attributes:
        action: its text in records.
        label: the same in plain English.
    """

    action: str
    label: str


class QuotedItem(NamedTuple):
    """A card or a kind of goods.

    Attributes:
        item: its id in positions and actions.
        name: its name in English.
    """

    item: str
    name: str


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


def said(
    one: Text, game: str, language: str = ENGLISH, label: Callable[[QuotedAction], str] = lambda quoted: quoted.label
) -> str:
    """Return a text in a language.

    Args:
        one: the text.
        game: the name of the game that it is about.
        language: one of LANGUAGES.
        label: returns the label of an action in the language.
    """

    def spoken(value: Argument) -> float | str:
        if isinstance(value, Text):
            return said(value, game, language, label)
        if isinstance(value, QuotedItem):
            word = card_words(game, value.item).get(language)
            return word.text if word else value.name
        return label(value) if isinstance(value, QuotedAction) else value

    arguments = {name: spoken(value) for name, value in one.arguments}
    return say(SERVICE if has(SERVICE, one.code) else game, one.code, language=language, **arguments)
