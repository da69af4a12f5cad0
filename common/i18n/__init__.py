"""Loads and formats the texts that users read, in every language.

A text is a pattern with `{name}` for each argument, or an object of plural forms (CLDR categories, named as in
Intl.PluralRules), selected by the argument `count`. Patterns have no escapes and no format specifications.
"""

import re
from collections.abc import Mapping

from clerestory.i18n.files import read
from clerestory.i18n.languages import END_OF_ISOLATE, ENGLISH, RIGHT_TO_LEFT, WITH_COMMA, plural

ARGUMENT = re.compile(r"\{(\w+)\}")

LEFT_TO_RIGHT = "\u2066"  # isolates a signed number, whose sign would otherwise follow it in Hebrew
SIGNS = ("+", "-", "−")

Pattern = str | dict[str, str]


def patterns(domain: str, language: str = ENGLISH) -> Mapping[str, Pattern]:
    """Return the patterns of a domain by key; {} if the domain has no file in the language.

    Args:
        domain: the base name of its files: `service`, `page`, the name of a game.
        language: one of LANGUAGES.
    """
    found: Mapping[str, Pattern] = read(f"{language}/{domain}.json")
    return found


def say(domain: str, key: str, /, language: str = ENGLISH, **arguments: object) -> str:
    """Return a text in a language, or in English if the language lacks it.

    Args:
        domain: the base name of its files.
        key: key of the pattern.
        language: one of LANGUAGES.
        arguments: by name; numbers are shown with all their decimals. Stored texts may lack the `count` of a plural.

    Raises KeyError if the domain lacks the key, or an argument is missing.
    """
    found_in = language if key in patterns(domain, language) else ENGLISH
    pattern = patterns(domain, found_in)[key]
    if isinstance(pattern, dict):
        form = plural(found_in, arguments["count"]) if "count" in arguments else "other"
        pattern = pattern.get(form, pattern["other"])
    return ARGUMENT.sub(lambda found: shown(arguments[found[1]], found_in), pattern)


def has(domain: str, key: str) -> bool:
    """Return whether a domain has a text."""
    return key in patterns(domain)


def shown(value: object, language: str = ENGLISH) -> str:
    """Return an argument as text in a language."""
    if isinstance(value, float):
        return f"{value:g}".replace(".", "," if language in WITH_COMMA else ".")
    text = str(value)
    return f"{LEFT_TO_RIGHT}{text}{END_OF_ISOLATE}" if language in RIGHT_TO_LEFT and text[:1] in SIGNS else text
