"""The languages of texts and words; English is the one that all others fall back to."""

import re
from collections.abc import Iterator

from clerestory.texts.files import read

ENGLISH = "en"
LANGUAGES: tuple[str, ...] = tuple(read("languages.json"))
ONE_OR_NONE = {"fr"}  # languages that count 0, and all below 2, like 1
WITH_COMMA = {"de", "it", "es", "fr"}  # languages that write 1,5
GROUPED = {"de": ".", "it": ".", "es": ".", "fr": "\u202f"}  # between thousands; elsewhere a comma
RIGHT_TO_LEFT = {"he"}
FORMER = {"iw": "he"}  # codes of ISO 639 that were replaced, which some systems still send
RIGHT_TO_LEFT_LETTERS = re.compile("[\u0590-\u08ff]")
ISOLATE, END_OF_ISOLATE = "\u2068", "\u2069"  # around text whose direction is that of its first letter
DUAL = {"he"}  # languages with a form for two
MOST_NAMED = 20  # names of a header that are looked at
QUALITY = re.compile(r"0(\.\d{0,3})?|1(\.0{0,3})?")  # RFC 9110, 12.4.2


class BadLanguage(ValueError):
    """Nothing is written in a language; the message lists those that there are."""


def language_of(tag: str) -> str:
    """Return the language of a BCP 47 tag, such as `it-CH`: one of LANGUAGES. Raises BadLanguage."""
    language = primary(tag.replace("_", "-").lower())
    if language not in LANGUAGES:
        raise BadLanguage(f"{tag!r} is not one of {', '.join(LANGUAGES)}")
    return language


def language_asked(header: str) -> str:
    """Return the language that an `accept-language` header prefers of those there are, ENGLISH if it names none."""
    best, most = ENGLISH, 0.0
    for tag, weight in weighted(header):
        language = primary(tag)
        if language in LANGUAGES and weight > most:
            best, most = language, weight
    return best


def primary(tag: str) -> str:
    """Return the language of a tag in lower case, by its present code."""
    language = tag.partition("-")[0]
    return FORMER.get(language, language)


def weighted(header: str) -> Iterator[tuple[str, float]]:
    """Yield the names in a header such as `accept-language` or `accept-encoding`, in lower case, and their weights."""
    for one in header.split(",")[:MOST_NAMED]:
        name, _, quality = "".join(one.lower().split()).partition(";q=")
        yield name, weight_of(quality)


def weight_of(quality: str) -> float:
    """Return the number in a q-value, 0 to 1; 1 for none, 0 for what is no number."""
    if not quality:
        return 1.0
    return float(quality) if QUALITY.fullmatch(quality) else 0.0


def plural(language: str, count: object) -> str:
    """Return the plural category of a number below a million, by the rules of CLDR for LANGUAGES."""
    if count == 1 or (language in ONE_OR_NONE and isinstance(count, int | float) and 0 <= count < 2):
        return "one"
    return "two" if count == 2 and language in DUAL else "other"


def number(value: float, language: str, decimals: int = 0, sign: str = "") -> str:
    """Return a number as a language writes it, in groups of thousands.

    Args:
        value: the number.
        language: one of LANGUAGES.
        decimals: after the comma or point.
        sign: as in format specifications: `+` for a sign before numbers above 0, too; `z` for no minus before 0.
    """
    point = "," if language in WITH_COMMA else "."
    return f"{value:{sign},.{decimals}f}".translate({ord(","): GROUPED.get(language, ","), ord("."): point})


def isolated(text: str) -> str:
    """Return a text that keeps its place on a line beside others: with marks around it if it has right-to-left letters.

    Terminals that order letters by their direction would else swap it with its neighbours.
    """
    return f"{ISOLATE}{text}{END_OF_ISOLATE}" if RIGHT_TO_LEFT_LETTERS.search(text) else text
