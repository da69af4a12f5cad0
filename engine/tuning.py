"""Search settings of a game: options chosen by measurements, and thresholds in its own points."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import starmap
from typing import Any

from clerestory.sums import total

NUM_LEVELS = 8  # in every game
EVEN = 2_000.0  # iterations at which a sharpness depends only on the round
MEASURED = (400, 8_000)  # range of iterations in which it changes
LEAST_SHARPNESS = 0.3
FITTED = "fitted"  # value of a search's sharpness: use `Tuning.sharpness`
GUIDED: Mapping[str, Any] = {  # options of a search that relies on a guide; a game adds its own
    "reward": "margin",
    "selection": "puct",
    "exploration": 0.5,
    "prior_floor": 0.05,
    "playout": "informed",
    "endings": "proven",
}

LEARNED: Mapping[str, Any] = {  # options of a search that relies on a learned value
    "reward": "win",
    "settled": 0.005,
    "horizon": 0,
}

REVIEWED: Mapping[str, Any] = {  # options of a review's search, with a learned value
    "exploration": 0.06,
    "growth": 0.0,
    "sharpness": 1.0,
}


@dataclass(frozen=True, slots=True)
class Level:
    """The settings of a level of play.

    Attributes:
        iterations: maximum for one decision; the other limits of the search also apply.
        noise: loss in points at which the odds of a line fall to 1 / e; 0 always chooses the best line.
    """

    iterations: int
    noise: float


NAMES = ("perkin", "mabel", "ubald", "linnet", "corwin", "theda", "tancred", "ottilie")
CHARACTERS: Mapping[str, int] = {name: level for level, name in enumerate(NAMES, 1)}  # level of each character


def level_as(character: str, level: int | None) -> int | None:
    """Return the given level, or the character's if none is given; None if there is neither."""
    return CHARACTERS.get(character) if level is None else level


def character_fault(character: str, level: int | None) -> str:
    """Return the error of a character ("" for none) at a level; "" if there is no error."""
    if not character or CHARACTERS.get(character) == level is not None:
        return ""
    if character not in CHARACTERS:
        return f"{character[:40]!r} is not one of {', '.join(CHARACTERS)}"
    return f"{character!r} plays at level {CHARACTERS[character]}, not {level}"


@dataclass(frozen=True, slots=True)
class Manner:
    """The playing style of a character: that of its level, apart from its preferences.

    Attributes:
        likes: points that it gives up for an action, by pattern of the action's text, as for fnmatch; negative for
            actions that it avoids. The first matching pattern applies.
        sign: patterns of the actions that characterize it.
        often: whether it takes them more often than its level does; otherwise more rarely.
    """

    likes: Mapping[str, float]
    sign: tuple[str, ...]
    often: bool = True

    def liking(self, action: str) -> float:
        """Return the points that it gives up for an action with this text."""
        return next((points for pattern, points in self.likes.items() if fnmatchcase(action, pattern)), 0.0)

    def shows(self, action: str) -> bool:
        """Whether an action characterizes it."""
        return any(fnmatchcase(action, pattern) for pattern in self.sign)


@dataclass(frozen=True, slots=True)
class Sharpness:
    """The calibration of win shares, for games between players as strong as the search.

    Win shares are raised to an exponent, a sum of terms that is continuous in the iterations. The first seat is given
    odds that the value does not contain. `python -m tools.lab.shares fit` fits both.

    Attributes:
        even: the exponent at 2,000 iterations in the first round, minus `first`.
        stronger: added for ten times the iterations.
        later: added for each further round.
        both: added for ten times the iterations in each further round.
        last: added in the last round.
        first: added in the first round.
        first_seat: added to the log odds of the seat that begins, seat 0, in the first round.
        rounds: number of the last round.
    """

    even: float
    stronger: float = 0.0
    later: float = 0.0
    both: float = 0.0
    last: float = 0.0
    first: float = 0.0
    first_seat: float = 0.0
    rounds: int = 0

    def exponent(self, iterations: int, round_: int) -> float:
        """Return the exponent for a search with these iterations in a round of the game."""
        weights = (self.even, self.stronger, self.later, self.both, self.last, self.first)
        terms = sharpness_terms(iterations, round_, self.rounds)
        return max(total(weight * term for weight, term in zip(weights, terms, strict=True)), LEAST_SHARPNESS)

    def lead(self, round_: int) -> float:
        """Return the number to add to the log odds of the first seat in a round of the game."""
        return self.first_seat if round_ <= 1 else 0.0


def sharpness_terms(iterations: int, round_: int, rounds: int) -> tuple[float, float, float, float, float, float]:
    """Return the factors of the weights of a `Sharpness`; iterations are limited to the measured range."""
    from clerestory.engine.elementary import log  # not needed for the help of commands

    least, most = MEASURED
    strength = log(min(max(iterations, least), most) / EVEN) / log(10.0)
    later = float(max(round_ - 1, 0))
    return 1.0, strength, later, strength * later, float(round_ == rounds), float(round_ <= 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Search settings of a game, as data.

    Attributes:
        search: by number of seats, the options that differ between the shipped search and `ismcts-plain`.
        temperature: lead in the guide's value, in points, that multiplies the odds of winning by e.
        scale: by number of seats, points of margin that correspond to 1 in the reward of a search:
            about the range of its lines.
        worth_naming: smallest difference worth mentioning, of margins in points, of features in their own unit.
        explained: features that players count, the score first, none a part of another; () for all.
        sources: features that say where the score comes from.
        review: by number of seats, the options that differ between the search of a review and the shipped one, if that
            uses the hand-made value.
        review_learned: the same if it uses the learned one.
        learned: by number of seats, the options that differ between the shipped search and `search` if a learned value
            is shipped for the cards in use.
        sharpness: by number of seats, calibration of a search with the learned value; none changes nothing.
        certainty: by number of seats, weights for the probability that a search ten times longer would choose the same
            action: a constant, logarithms of all visits and of the lead in visits, the lead in score in standard
            errors.
        levels: NUM_LEVELS levels of play, weakest first.
        manners: playing styles of CHARACTERS, by name; others play as their level does.
    """

    search: Mapping[int, Mapping[str, Any]]
    temperature: float
    scale: Mapping[int, float]
    worth_naming: float
    certainty: Mapping[int, tuple[float, float, float, float]]
    levels: tuple[Level, ...]
    explained: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    manners: Mapping[str, Manner] = field(default_factory=dict)
    sharpness: Mapping[int, Sharpness] = field(default_factory=dict)
    review: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    learned: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    review_learned: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)


def ladder(*levels: tuple[int, float]) -> tuple[Level, ...]:
    """Return the levels of a game, weakest first, given the iterations and the noise of each."""
    if len(levels) != NUM_LEVELS:
        raise AssertionError(f"{len(levels)} levels; every game has {NUM_LEVELS}")
    return tuple(starmap(Level, levels))
