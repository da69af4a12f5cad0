"""The names of cards by language: those that the catalogue in use gives itself, else those of the glossary."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from clerestory.texts.glossary import card_words


class CardName(NamedTuple):
    """A card's name in a language, and where it comes from: a grade, then keys of sources."""

    text: str
    source: str


def card_names(game: str, row: Mapping[str, Any]) -> dict[str, CardName]:
    """Return a card's names by language, without that of its field `name`, which is English.

    Args:
        game: the name of the game.
        row: the card as a plain row of its catalogue.
    """
    known = {language: CardName(word.text, word.provenance()) for language, word in card_words(game, row["id"]).items()}
    own = {language: CardName(name, row["sources"]["names"]) for language, name in row.get("names", {}).items()}
    return known | own
