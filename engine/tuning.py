"""How a game is searched: options chosen by measurements, and thresholds in its own points."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import starmap
from typing import Any

NUM_LEVELS = 8  # in every game
GUIDED: Mapping[str, Any] = {  # options of a search that relies on a guide; a game adds its own
    "reward": "margin",
    "selection": "puct",
    "exploration": 0.5,
    "prior_floor": 0.05,
    "playout": "informed",
    "endings": "proven",
}

LEARNED: Mapping[str, Any] = {  # and of one that relies on a learned value
    "value": "net",
    "reward": "win",
    "horizon": 0,
}

REVIEWED: Mapping[str, Any] = {  # of a review's search, with a learned value
    "exploration": 0.12,
    "growth": 0.0,
    "priors": "guide",
    "sharpness": 1.0,
}


@dataclass(frozen=True, slots=True)
class Level:
    """How a level plays.

    Attributes:
        iterations: at most, for one decision; the other limits of the search apply too.
        noise: loss in points at which the odds of a line fall to 1 / e; 0 always takes the best line.
    """

    iterations: int
    noise: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """How a game is searched, as data.

    Attributes:
        search: by number of seats, the options in which the shipped search differs from `ismcts-plain`.
        temperature: lead in the guide's value, in points, that multiplies the odds of winning by e.
        scale: by number of seats, points of margin that correspond to 1 in the reward of a search:
            about the range of its lines.
        worth_naming: smallest difference worth mentioning, of margins in points, of features in their own unit.
        told: features that players count, the score first, none a part of another; () for all.
        review: by number of seats, the options in which the search of a review differs from the shipped one, if that
            uses the hand-made value.
        review_learned: the same if it uses the learned one.
        learned: by number of seats, the options in which the shipped search differs from `search` if a learned value
            is shipped for the cards in use.
        certainty: weights for the probability that a search ten times longer would name the same action: a constant,
            logarithms of all visits and of the lead in visits, the lead in score in standard errors.
        levels: NUM_LEVELS levels of play, weakest first.
    """

    search: Mapping[int, Mapping[str, Any]]
    temperature: float
    scale: Mapping[int, float]
    worth_naming: float
    certainty: tuple[float, float, float, float]
    levels: tuple[Level, ...]
    told: tuple[str, ...] = ()
    review: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    learned: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    review_learned: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)


def ladder(*levels: tuple[int, float]) -> tuple[Level, ...]:
    """Return the levels of a game, weakest first, given the iterations and the noise of each."""
    if len(levels) != NUM_LEVELS:
        raise AssertionError(f"{len(levels)} levels; every game has {NUM_LEVELS}")
    return tuple(starmap(Level, levels))
