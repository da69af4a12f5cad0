"""Levels of play, 1 to 8: the default search with fewer iterations, and with a choice that errs like a person.

A level takes a line with odds that fall by the points it is expected to lose: small losses are often overlooked,
large ones seldom. So a weak level plays weakly, but not absurdly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from clerestory.engine.rng import Rng
from clerestory.search.errors import BadLimit
from clerestory.search.result import Line


@dataclass(frozen=True, slots=True)
class Level:
    """How a level plays.

    Attributes:
        iterations: of a decision, at most; what else bounds the search bounds it too.
        noise: points a line may lose for its odds to fall to 1 / e; 0 takes the best line always.
    """

    iterations: int
    noise: float


LEVELS = (
    Level(30, 3.0),
    Level(60, 2.0),
    Level(120, 1.3),
    Level(250, 0.6),
    Level(500, 0.4),
    Level(1_000, 0.15),
    Level(4_000, 0.0),
    Level(20_000, 0.0),
)


def level_of(number: int) -> Level:
    """Return a level by its number, 1 to 8. Raises BadLimit."""
    if type(number) is not int or not 1 <= number <= len(LEVELS):
        raise BadLimit("level", f"{number!r} is not a whole number from 1 to {len(LEVELS)}")
    return LEVELS[number - 1]


def choose_line(lines: Sequence[Line], level: Level, seed: int) -> Line:
    """Return the line that a level takes; equal for equal arguments.

    Args:
        lines: of a search, best first.
        level: how to err.
        seed: of the erring, 0 to 2**64 - 1.
    """
    tried = [line for line in lines if line.visits]
    if not level.noise or len(tried) < 2:
        return lines[0]
    best = max(line.margin for line in tried)
    odds = [exp((line.margin - best) / level.noise) for line in tried]
    left = Rng(seed).unit() * sum(odds)
    for line, share in zip(tried, odds, strict=True):
        left -= share
        if left < 0:
            return line
    return tried[-1]
