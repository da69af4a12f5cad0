"""Texts by key out of `LANGUAGE/FILE.json`: patterns with `{name}` for arguments, or one for each plural category."""

from typing import Any

from clerestory.texts.files import read
from clerestory.texts.languages import ENGLISH

ONE_OR_NONE = {"fr"}  # languages that count 0 like 1
DUAL = {"he"}  # languages with a form for two


def say(file: str, language: str, key: str, **arguments: Any) -> str:
    """Return a text with its arguments in a language, else in English, else its key.

    Args:
        file: the name of the files with it, without `.json`.
        language: one of LANGUAGES.
        key: of the text.
        arguments: by name; `count` chooses the form of a text that has several.
    """
    for spoken in (language, ENGLISH):
        pattern = patterns(file, spoken).get(key)
        if isinstance(pattern, dict):
            pattern = pattern.get(plural(spoken, arguments["count"]), pattern["other"])
        if pattern is not None:
            return str(pattern).format(**arguments)
    return key


def patterns(file: str, language: str) -> dict[str, Any]:
    """Return the patterns of a file by key; {} if the language lacks it."""
    found: dict[str, Any] = read(f"{language}/{file}.json")
    return found


def plural(language: str, count: int) -> str:
    """Return the plural category of a whole number, by the rules of CLDR for LANGUAGES."""
    if count == 1 or (count == 0 and language in ONE_OR_NONE):
        return "one"
    return "two" if count == 2 and language in DUAL else "other"
