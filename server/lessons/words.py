"""Formats the texts of lessons in a language, with arguments from cards, positions and action labels."""

from functools import cache
from typing import Any

from clerestory.engine.core import Game, State
from clerestory.i18n import has, say
from clerestory.i18n.cards import card_names
from clerestory.i18n.labels import Labels
from clerestory.i18n.languages import ENGLISH
from clerestory.server.lessons.goals import field_of, fields_of
from clerestory.server.lessons.lesson import Lesson, Words

DOMAIN = "lessons"


def title(lesson: Lesson, language: str = ENGLISH) -> str:
    """Return the title of a lesson."""
    return say(DOMAIN, f"{lesson.name}.title", language=language)


def about(lesson: Lesson, language: str = ENGLISH) -> str:
    """Return a sentence on what a lesson teaches."""
    return say(DOMAIN, f"{lesson.name}.about", language=language)


def format_words(lesson: Lesson, words: Words | None, state: State, language: str = ENGLISH) -> str:
    """Return a text of a lesson; "" for none.

    Args:
        lesson: the lesson.
        words: the text.
        state: the position that it refers to.
        language: one of LANGUAGES.
    """
    if words is None or not words.say:
        return ""
    given = {name: argument(source, state, language) for name, source in words.given.items()}
    key = f"{lesson.name}.{words.say}"
    return say(DOMAIN, key if has(DOMAIN, key) else words.say, language=language, **given)


def argument(source: str, state: State, language: str) -> Any:
    """Return an argument of a text.

    Args:
        source: `now:PATH`: a field of the position; `label:ACTION`: the label of an action; `card:ID`: the name of a
            card; `card:ID.PATH`: a value of a card.
        state: the position.
        language: one of LANGUAGES.

    Raises KeyError if the source does not exist.
    """
    kind, _, name = source.partition(":")
    if kind == "now":
        return field_of(fields_of(state), name)
    if kind == "label":
        return label(state.game, name, language)
    card, _, path = name.partition(".")
    row = cards(state.game)[card]
    if path:
        return field_of(row, path)
    own = card_names(state.game.name, row).get(language)
    return own.text if own else row["name"]


def label(game: Game, text: str, language: str) -> str:
    """Return the label of an action in a language."""
    action = game.parse_action(text)
    if language == ENGLISH:
        return action.label
    return Labels(game.name, game.cards(), language).label(action.text, action.label)


@cache
def cards(game: Game) -> dict[str, dict[str, Any]]:
    """Return the cards of a game by id."""
    return {row["id"]: row for rows in game.cards().values() for row in rows}
