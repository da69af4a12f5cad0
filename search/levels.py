"""Levels of play, 1 to 8: the shipped search with fewer iterations, and with choices that err as people do.

The odds of a line fall with the points it is expected to lose: small losses are often overlooked, large ones
seldom. So a weak level plays weakly, but not absurdly.
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
        iterations: at most, for one decision; the other limits of the search apply too.
        noise: loss in points at which the odds of a line fall to 1 / e; 0 always takes the best line.
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
        seed: of the random choice, 0 to 2**64 - 1.
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
