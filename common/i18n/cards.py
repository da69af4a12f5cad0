"""Looks up card names by language, in the catalogue in use and then in the glossary."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from clerestory.i18n.glossary import card_words


class CardName(NamedTuple):
    """A card's name in a language, and its provenance: a grade, then keys of sources."""

    text: str
    source: str


def card_names(game: str, row: Mapping[str, Any]) -> dict[str, CardName]:
    """Return a card's names by language, except its English name, which is in the field `name`.

    Args:
        game: the name of the game.
        row: the card's row in the catalogue.
    """
    known = {language: CardName(word.text, word.provenance()) for language, word in card_words(game, row["id"]).items()}
    own = {language: CardName(name, row["sources"]["names"]) for language, name in row.get("names", {}).items()}
    return known | own
