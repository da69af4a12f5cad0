"""The languages of texts and words; English is the one that all others fall back to."""

from clerestory.texts.files import GLOSSARY, read

ENGLISH = "en"
LANGUAGES: tuple[str, ...] = tuple(read(GLOSSARY)["languages"])


class BadLanguage(ValueError):
    """Nothing is written in a language; the message lists those that there are."""


def language_of(tag: str) -> str:
    """Return the language of a BCP 47 tag, such as `it-CH`: one of LANGUAGES. Raises BadLanguage."""
    language = tag.replace("_", "-").partition("-")[0].lower()
    if language not in LANGUAGES:
        raise BadLanguage(f"{tag!r} is not one of {', '.join(LANGUAGES)}")
    return language
