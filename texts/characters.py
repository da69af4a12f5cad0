"""The names and manners of the characters in words."""

from clerestory.texts import has, say
from clerestory.texts.languages import ENGLISH

DOMAIN = "characters"


def name_of_character(character: str, language: str = ENGLISH) -> str:
    """Return the name of a character; "" for nobody, or one that is unknown."""
    key = f"{character}.name"
    return say(DOMAIN, key, language=language) if has(DOMAIN, key) else ""


def manner_in_words(character: str, language: str = ENGLISH) -> str:
    """Return how a character plays, in one sentence. Raises KeyError for one that is unknown."""
    return say(DOMAIN, f"{character}.about", language=language)
