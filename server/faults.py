"""Faults of positions as texts: the code and the arguments of an English description, by the pattern that it fits."""

import re
from collections.abc import Iterator
from functools import cache

from clerestory.texts import ARGUMENT, patterns
from clerestory.texts.sentences import SERVICE, Argument, Text

KINDS = ("fault.", "rule.")  # beginnings of the codes of faults, and of what is true of every position
OTHER = "fault.other"  # of what fits no pattern, as in games without texts of their own
SENTENCE = "sentence"  # the argument that is a text itself
NUMBER = re.compile(r"-?\d{1,9}")


def fault_text(description: str, game: str) -> Text:
    """Return a fault as a text.

    Args:
        description: in English, as the engine words it.
        game: the name of the game; "" if there is none.
    """
    for code, shape in shapes(game):
        if found := shape.fullmatch(description):
            return Text(code, tuple((name, argument(name, value, game)) for name, value in found.groupdict().items()))
    return Text(OTHER, (("what", description),))


def argument(name: str, value: str, game: str) -> Argument:
    """Return an argument of a fault: a number, a text, or a word."""
    if name == SENTENCE:
        return fault_text(value, game)
    return int(value) if NUMBER.fullmatch(value) else value


@cache
def shapes(game: str) -> list[tuple[str, re.Pattern[str]]]:
    """Return the codes of faults with the expressions that their English descriptions fit, the most special first."""
    found = [pair for domain in (game, SERVICE) if domain for pair in patterns_of(domain)]
    found.sort(key=lambda pair: -len(ARGUMENT.sub("", pair[1])))
    return [(code, expression(pattern)) for code, pattern in found if code != OTHER]


def patterns_of(domain: str) -> Iterator[tuple[str, str]]:
    """Yield the codes of faults of a domain with their English patterns."""
    for code, pattern in patterns(domain).items():
        if code.startswith(KINDS) and isinstance(pattern, str):
            yield code, pattern


def expression(pattern: str) -> re.Pattern[str]:
    """Return the expression that what is said by a pattern fits."""
    parts = ARGUMENT.split(pattern)
    named = (f"(?P<{part}>.+)" if at % 2 else re.escape(part) for at, part in enumerate(parts))
    return re.compile("".join(named), re.DOTALL)
