"""Locale-independent texts: a code with arguments, formatted only when a user reads them."""

from collections.abc import Callable
from typing import NamedTuple, Union

from clerestory.i18n import has, say
from clerestory.i18n.glossary import card_words, definite, word
from clerestory.i18n.languages import ENGLISH

SERVICE = "service"

Argument = Union[float, str, "QuotedAction", "QuotedItem", "Text"]


class QuotedAction(NamedTuple):
    """An action of a game, as an argument.

    Attributes:
        action: its text in records.
        label: its English label.
    """

    action: str
    label: str


class QuotedItem(NamedTuple):
    """A card or a good, as an argument.

    Attributes:
        item: its id in positions and actions.
        name: its English name.
    """

    item: str
    name: str


class Text(NamedTuple):
    """A sentence, or a part of one.

    Attributes:
        code: key of its pattern, in the service's file or else in the game's.
        arguments: by name.
    """

    code: str
    arguments: tuple[tuple[str, Argument], ...] = ()


def text(code: str, **arguments: Argument) -> Text:
    """Return a text."""
    return Text(code, tuple(arguments.items()))


def format_text(
    one: Text, game: str, language: str = ENGLISH, label: Callable[[QuotedAction], str] = lambda quoted: quoted.label
) -> str:
    """Format a text in a language. A card as its argument `who` has its article, except in English.

    Args:
        one: the text.
        game: the name of its game.
        language: one of LANGUAGES.
        label: returns the label of an action in the language.
    """

    def translated(name: str, value: Argument) -> float | str:
        if isinstance(value, Text):
            return format_text(value, game, language, label)
        if isinstance(value, QuotedItem):
            if name == "who" and (article := definite(game, value.item, language)):
                return article
            found = card_words(game, value.item).get(language) or word(game, f"good.{value.item}", language)
            return found.text if found else value.name
        return label(value) if isinstance(value, QuotedAction) else value

    arguments = {name: translated(name, value) for name, value in one.arguments}
    return say(SERVICE if has(SERVICE, one.code) else game, one.code, language=language, **arguments)
