"""The glossary: the terms of the games and the service in every language, each with its source."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from clerestory.i18n.files import read
from clerestory.i18n.languages import ENGLISH

OURS = "ours"  # the source of terms that we invented
SERVICE = "service"
GLOSSARY = "glossary.json"
NUMBER = re.compile(r"_\d+$")  # round number at the end of a card's id


class Word(NamedTuple):
    """A term, its language, and the key of its source."""

    text: str
    language: str
    source: str

    def provenance(self) -> str:
        """Return the provenance in catalogue format: `stated R-IT`, `reconstructed, ours`."""
        between = ", " if self.source == OURS else " "
        return f"{sources()[self.source]['grade']}{between}{self.source}"


def sources() -> dict[str, dict[str, str]]:
    """Return the sources by key: the `grade` of their statements, and `what` they are."""
    found: dict[str, dict[str, str]] = read(GLOSSARY)["sources"]
    return found


def words(part: str) -> dict[str, dict[str, Any]]:
    """Return the entries of a part by key: term and source by language.

    Args:
        part: the name of a game, or SERVICE. {} for an unknown one.
    """
    found: dict[str, dict[str, Any]] = read(GLOSSARY)["words"].get(part, {})
    return found


def word(part: str, key: str, language: str) -> Word | None:
    """Return a term in a language, or in English if there is none; None if there is neither."""
    entry = words(part).get(key, {})
    found = next((one for one in (language, ENGLISH) if one in entry), None)
    return Word(entry[found][0], found, entry[found][1]) if found else None


def definite(game: str, card: str, language: str) -> str:
    """Return the name of a card with its article in a language; "" if there is none, as in English."""
    entries = words(game)
    entry = entries.get(f"the.{card}") or entries.get(f"the.{NUMBER.sub('', card)}", {})
    return str(entry[language][0]) if language in entry else ""


@lru_cache(maxsize=1024)
def card_words(game: str, card: str) -> Mapping[str, Word]:
    """Return the names of a card by language, except English, which is in its catalogue; {} for an unknown card.

    Args:
        game: the name of the game.
        card: an id. Cards of several rounds share an entry, unless one has its own.
    """
    entries = words(game)
    entry = entries.get(f"card.{card}") or entries.get(f"card.{NUMBER.sub('', card)}", {})
    return {language: Word(text, language, source) for language, (text, source) in entry.items()}
