"""The texts of the terminal, and the names of things, in the language in use."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from clerestory.i18n import has
from clerestory.i18n import say as say_text
from clerestory.i18n.glossary import SERVICE, word
from clerestory.i18n.languages import (
    END_OF_ISOLATE,
    ENGLISH,
    ISOLATE,
    RIGHT_TO_LEFT,
    RIGHT_TO_LEFT_LETTERS,
    isolated,
    number,
)
from clerestory.server.rpc.locale import LOCALE, label_of, labels

if TYPE_CHECKING:
    from clerestory.engine import Action, Game, State

TERMINAL, ERRORS = "terminal", "errors"  # domains of texts
LATIN = re.compile("[A-Za-z]")
NATURE = {"nature": "luck"}  # who acts where chance does -> the word for it


def language() -> str:
    """Return the language in use."""
    return LOCALE.get()


def is_english() -> bool:
    """Whether the language is English, in which things have the names that actions and positions have."""
    return language() == ENGLISH


def say(key: str, /, **arguments: object) -> str:
    """Return a text of the terminal; names from left to right are kept apart in a language from right to left."""
    isolated = {name: apart(value) if isinstance(value, str) else value for name, value in arguments.items()}
    return say_text(TERMINAL, key, language=language(), **isolated)


def apart(text: str) -> str:
    """Return a text for use in a sentence, isolated by marks if its direction differs."""
    if language() not in RIGHT_TO_LEFT or RIGHT_TO_LEFT_LETTERS.search(text) or not LATIN.search(text):
        return text
    return f"{ISOLATE}{text}{END_OF_ISOLATE}"


def cells(texts: Iterable[str]) -> list[str]:
    """Return texts as cells of a table that keep their places."""
    return [isolated(text) for text in texts]


def figure(value: float, decimals: int = 0, sign: str = "") -> str:
    """Return a number, with a sign as in format specifications."""
    return number(value, language(), decimals, sign)


def percent(share: float, decimals: int = 0) -> str:
    """Return a share of one in percent."""
    return say("percent", number=figure(100 * share, decimals))


def joined(names: list[str]) -> str:
    """Return names as a list in words, the last after an `and`."""
    joined = names[0]
    for name in names[1:]:
        joined = say("and", first=joined, last=name)
    return joined


# -- names -----------------------------------------------------------------------------------------


def title(game: "Game") -> str:
    """Return the name on a game's box; that of its folder if it has no box."""
    found = word(game.name, "game", language())
    return found.text if found else game.name


def seat(game: "Game", number: int) -> str:
    """Return the name of a seat."""
    return colour(game.seat_name(number))


def colour(name: str) -> str:
    """Return the word for a colour of a seat; any other name is returned unchanged."""
    found = None if is_english() else word(SERVICE, f"word.{NATURE.get(name, name)}", language())
    return found.text if found else name


def label(game: "Game", action: "Action") -> str:
    """Return the label of an action."""
    return label_of(game, action.text, action.label)


def called(game: "Game", action: "Action") -> str:
    """Return how an action is named in a sentence: by its text in English, elsewhere by its label."""
    return action.text if is_english() else label(game, action)


def with_text(label: str, text: str) -> str:
    """Return a label with the text of its action, which is shown in English only."""
    return f"{text} ({label})" if is_english() else label


def kind(game: "Game", text: str) -> str:
    """Return the kind of an action, given its text."""
    first = text.split()[0]
    return named(game, "action", first, first)


def named(game: "Game", kind: str, name: str, english: str) -> str:
    """Return the game's word for something; `english` in English, and if there is no word."""
    found = None if is_english() else word(game.name, f"{kind}.{name}".rstrip("."), language())
    return found.text if found else english


def thing(game: "Game", kind: str, name: str) -> str:
    """Return the name of a thing in a picture (see `PictureTexts`)."""
    if is_english() or not name:
        return name
    if kind == "card":
        return labels(game, language()).card(name)
    if kind == "seal":
        return (
            say_text(game.name, f"picture.{name}", language=language()) if has(game.name, f"picture.{name}") else name
        )
    return colour(name) if kind == "colour" else named(game, kind, name, name)


def picture(state: "State") -> str:
    """Return a position as a table for the terminal."""
    from clerestory.engine.games import LIST
    from clerestory.engine.picture import PictureTexts

    show, game = LIST[state.game.name].picture, state.game
    if show is None or is_english():
        return str(state)
    fields = state.to_position()[game.name]
    return show(fields, PictureTexts(game.name, language(), lambda kind, name: thing(game, kind, name)))


def error(failure: Exception) -> str:
    """Return what went wrong: in English with all that is known, elsewhere by its reason."""
    reason = str(getattr(failure, "reason", ""))
    if is_english() or not has(ERRORS, reason):
        return str(failure)
    return say_text(ERRORS, reason, language=language())
