"""The languages of texts and words; English is the one that all others fall back to."""

from clerestory.texts.files import read

ENGLISH = "en"
LANGUAGES: tuple[str, ...] = tuple(read("languages.json"))
ONE_OR_NONE = {"fr"}  # languages that count 0, and all below 2, like 1
DUAL = {"he"}  # languages with a form for two


class BadLanguage(ValueError):
    """Nothing is written in a language; the message lists those that there are."""


def language_of(tag: str) -> str:
    """Return the language of a BCP 47 tag, such as `it-CH`: one of LANGUAGES. Raises BadLanguage."""
    language = tag.replace("_", "-").partition("-")[0].lower()
    if language not in LANGUAGES:
        raise BadLanguage(f"{tag!r} is not one of {', '.join(LANGUAGES)}")
    return language


def plural(language: str, count: object) -> str:
    """Return the plural category of a number below a million, by the rules of CLDR for LANGUAGES."""
    if count == 1 or (language in ONE_OR_NONE and isinstance(count, int | float) and 0 <= count < 2):
        return "one"
    return "two" if count == 2 and language in DUAL else "other"
