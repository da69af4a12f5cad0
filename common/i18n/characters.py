"""Looks up the names and descriptions of bot characters."""

from clerestory.i18n import has, say
from clerestory.i18n.languages import ENGLISH

DOMAIN = "characters"


def name_of_character(character: str, language: str = ENGLISH) -> str:
    """Return the name of a character; "" for none or an unknown one."""
    key = f"{character}.name"
    return say(DOMAIN, key, language=language) if has(DOMAIN, key) else ""


def manner_in_words(character: str, language: str = ENGLISH) -> str:
    """Return a sentence on how a character plays. Raises KeyError for an unknown one."""
    return say(DOMAIN, f"{character}.about", language=language)
