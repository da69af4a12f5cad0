"""What people read: texts and words as data, in every language, and reading them.

A text is a pattern with `{name}` for each argument, or an object of plural forms (CLDR categories, as
Intl.PluralRules names them), one of which the argument `count` chooses. There are no escapes and no formats.
"""

import re
from collections.abc import Mapping

from clerestory.texts.files import read
from clerestory.texts.languages import END_OF_ISOLATE, ENGLISH, RIGHT_TO_LEFT, WITH_COMMA, plural

ARGUMENT = re.compile(r"\{(\w+)\}")

LEFT_TO_RIGHT = "\u2066"  # an isolate, around a number with its sign, which would come after it in Hebrew
SIGNS = ("+", "-", "−")

Pattern = str | dict[str, str]


def patterns(domain: str, language: str = ENGLISH) -> Mapping[str, Pattern]:
    """Return the patterns of a domain by key; {} for a domain without a file in the language.

    Args:
        domain: the name of its files: `service`, `page`, the name of a game.
        language: one of LANGUAGES.
    """
    found: Mapping[str, Pattern] = read(f"{language}/{domain}.json")
    return found


def say(domain: str, key: str, /, language: str = ENGLISH, **arguments: object) -> str:
    """Return a text in a language, in English if the language lacks it.

    Args:
        domain: the name of its files.
        key: of the pattern.
        language: one of LANGUAGES.
        arguments: by name; numbers are shown with as many decimals as they have.

    Raises KeyError for a key that the domain lacks, and for an argument that is not given.
    """
    spoken = language if key in patterns(domain, language) else ENGLISH
    pattern = patterns(domain, spoken)[key]
    if isinstance(pattern, dict):
        pattern = pattern.get(plural(spoken, arguments["count"]), pattern["other"])
    return ARGUMENT.sub(lambda found: shown(arguments[found[1]], spoken), pattern)


def has(domain: str, key: str) -> bool:
    """Whether a domain has a text."""
    return key in patterns(domain)


def shown(value: object, language: str = ENGLISH) -> str:
    """Return an argument as text in a language."""
    if isinstance(value, float):
        return f"{value:g}".replace(".", "," if language in WITH_COMMA else ".")
    text = str(value)
    return f"{LEFT_TO_RIGHT}{text}{END_OF_ISOLATE}" if language in RIGHT_TO_LEFT and text[:1] in SIGNS else text
