"""Finds English in other languages: words of English texts that no text of the language has."""

import re
from functools import cache

from clerestory.i18n import patterns
from clerestory.i18n.files import FOLDER, read
from clerestory.i18n.languages import ENGLISH, LANGUAGES

OTHERS = [language for language in LANGUAGES if language != ENGLISH]
DOMAINS = sorted(path.stem for path in (FOLDER / ENGLISH).glob("*.json") if path.stem != "toy")
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
LATIN = re.compile(r"[A-Za-z]{2,}")
# Words common to all languages: the program, names, numerals, sizes, the letters of the decks and of seats.
NAMES = frozenset(re.findall(r"\w+", "clerestory apache github kingsbridge shiring ii iii ab bot https http tab enter"))


def words_of(value: object) -> set[str]:
    """Return all words in texts, in lower case."""
    if isinstance(value, dict):
        return set().union(*map(words_of, value.values())) if value else set()
    if isinstance(value, list):
        return set().union(*map(words_of, value)) if value else set()
    return {word.lower() for word in WORD.findall(re.sub(r"\{\w+\}", " ", str(value)))}


@cache
def english_only(language: str) -> frozenset[str]:
    """Return words of English texts that no text or name of a language has."""
    english, other = set[str](), set[str]()
    for domain in DOMAINS:
        english |= words_of(dict(patterns(domain)))
        other |= words_of(dict(patterns(domain, language)))
    for entries in read("glossary.json")["words"].values():
        for entry in entries.values():
            english |= words_of(entry.get(ENGLISH, [""])[0])
            other |= words_of(entry.get(language, [""])[0])
    return frozenset(word for word in english - other if len(word) > 1)


def english_in(text: str, language: str) -> set[str]:
    """Return the English words of a text; for Hebrew, all words in Latin letters that are not names."""
    words = {word.lower() for word in (LATIN if language == "he" else WORD).findall(text)} - NAMES
    return words if language == "he" else words & english_only(language)
