"""The supported languages, and their rules for numbers and plurals; English is the fallback."""

import re
from collections.abc import Iterator

from clerestory.i18n.files import read

ENGLISH = "en"
LANGUAGES: tuple[str, ...] = tuple(read("languages.json"))
ONE_OR_NONE = {"fr"}  # languages that use the singular for 0 and everything below 2
WITH_COMMA = {"de", "it", "es", "fr"}  # languages with a decimal comma
GROUPED = {"de": ".", "it": ".", "es": ".", "fr": "\u202f"}  # thousands separators; elsewhere a comma
RIGHT_TO_LEFT = {"he"}
FORMER = {"iw": "he"}  # replaced ISO 639 codes that some systems still send
RIGHT_TO_LEFT_LETTERS = re.compile("[\u0590-\u08ff]")
ISOLATE, END_OF_ISOLATE = "\u2068", "\u2069"  # around text whose direction is that of its first letter
DUAL = {"he"}  # languages with a dual form
MOST_NAMED = 20  # entries of a header to read
QUALITY = re.compile(r"0(\.\d{0,3})?|1(\.0{0,3})?")  # RFC 9110, 12.4.2


class BadLanguage(ValueError):
    """A language is not supported; the message lists those that are."""


def language_of(tag: str) -> str:
    """Return the supported language of a BCP 47 tag, such as `it-CH`. Raises BadLanguage."""
    language = primary(tag.replace("_", "-").lower())
    if language not in LANGUAGES:
        raise BadLanguage(f"{tag!r} is not one of {', '.join(LANGUAGES)}")
    return language


def language_asked(header: str) -> str:
    """Return the supported language that an `accept-language` header prefers; ENGLISH if there is none."""
    best, most = ENGLISH, 0.0
    for tag, weight in weighted(header):
        language = primary(tag)
        if language in LANGUAGES and weight > most:
            best, most = language, weight
    return best


def primary(tag: str) -> str:
    """Return the primary language of a lower-case tag, by its current code."""
    language = tag.partition("-")[0]
    return FORMER.get(language, language)


def weighted(header: str) -> Iterator[tuple[str, float]]:
    """Yield the names in a header such as `accept-language` or `accept-encoding`, in lower case, with their weights."""
    for one in header.split(",")[:MOST_NAMED]:
        name, _, quality = "".join(one.lower().split()).partition(";q=")
        yield name, weight_of(quality)


def weight_of(quality: str) -> float:
    """Return the number in a q-value, 0 to 1; 1 if it is absent, 0 if it is invalid."""
    if not quality:
        return 1.0
    return float(quality) if QUALITY.fullmatch(quality) else 0.0


def plural(language: str, count: object) -> str:
    """Return the plural category of a number below a million, by the CLDR rules of the supported languages."""
    if count == 1 or (language in ONE_OR_NONE and isinstance(count, int | float) and 0 <= count < 2):
        return "one"
    return "two" if count == 2 and language in DUAL else "other"


def number(value: float, language: str, decimals: int = 0, sign: str = "") -> str:
    """Format a number for a language, with thousands separators.

    Args:
        value: the number.
        language: one of LANGUAGES.
        decimals: digits after the decimal point.
        sign: as in format specifications: `+` also puts a sign before positive numbers; `z` removes the sign of -0.
    """
    point = "," if language in WITH_COMMA else "."
    return f"{value:{sign},.{decimals}f}".translate({ord(","): GROUPED.get(language, ","), ord("."): point})


def isolated(text: str) -> str:
    """Return a text, isolated if it has right-to-left letters, so that it keeps its place on a line.

    Terminals that implement bidirectional text would otherwise swap it with its neighbours.
    """
    return f"{ISOLATE}{text}{END_OF_ISOLATE}" if RIGHT_TO_LEFT_LETTERS.search(text) else text
