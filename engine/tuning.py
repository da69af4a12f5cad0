"""How a game is searched: options chosen by measurements, and thresholds in its own points."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import starmap
from typing import Any

NUM_LEVELS = 8  # in every game
EVEN = 2_000.0  # iterations of a search at which a sharpness depends on the round alone
MEASURED = (400, 8_000)  # least and most iterations between which it changes
LEAST_SHARPNESS = 0.3
FITTED = "fitted"  # for a search's sharpness: that of `Tuning.sharpness`
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
    "settled": 0.005,
    "horizon": 0,
}

REVIEWED: Mapping[str, Any] = {  # of a review's search, with a learned value
    "exploration": 0.06,
    "growth": 0.0,
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


NAMES = ("perkin", "mabel", "ubald", "linnet", "corwin", "theda", "tancred", "ottilie")
CHARACTERS: Mapping[str, int] = {name: level for level, name in enumerate(NAMES, 1)}  # who plays at which level


def level_as(character: str, level: int | None) -> int | None:
    """Return the level given, if none that of the character; None if there is neither."""
    return CHARACTERS.get(character) if level is None else level


def character_fault(character: str, level: int | None) -> str:
    """Return what is wrong with a character, "" for none, who is to play at a level; "" for nothing."""
    if not character or CHARACTERS.get(character) == level is not None:
        return ""
    if character not in CHARACTERS:
        return f"{character[:40]!r} is not one of {', '.join(CHARACTERS)}"
    return f"{character!r} plays at level {CHARACTERS[character]}, not {level}"


@dataclass(frozen=True, slots=True)
class Manner:
    """How a character plays a game: as its level does, but for its likings.

    Attributes:
        likes: by pattern of an action's text, as fnmatch has it, the points that it gives up for such an action; below
            0 for those that it avoids. Of several patterns that fit, the first counts.
        sign: patterns of the actions by which it is known.
        often: whether it takes them more often than its level does, not more seldom.
    """

    likes: Mapping[str, float]
    sign: tuple[str, ...]
    often: bool = True

    def liking(self, action: str) -> float:
        """Return the points that it gives up for an action with this text."""
        return next((points for pattern, points in self.likes.items() if fnmatchcase(action, pattern)), 0.0)

    def shows(self, action: str) -> bool:
        """Whether it is known by this action."""
        return any(fnmatchcase(action, pattern) for pattern in self.sign)


@dataclass(frozen=True, slots=True)
class Sharpness:
    """How the win shares of a search become true, between players as strong as that search.

    They are raised to an exponent, which is a sum of terms, so that it is continuous in the iterations, and the first
    seat is given odds that the value does not know of; `python -m tools.lab.shares fit` fits both.

    Attributes:
        even: the exponent at 2,000 iterations in the first round, less `first`.
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
        """Return the exponent for a search of so many iterations in a round of the game."""
        weights = (self.even, self.stronger, self.later, self.both, self.last, self.first)
        terms = sharpness_terms(iterations, round_, self.rounds)
        return max(sum(weight * term for weight, term in zip(weights, terms, strict=True)), LEAST_SHARPNESS)

    def lead(self, round_: int) -> float:
        """Return what is added to the log odds of the first seat in a round of the game."""
        return self.first_seat if round_ <= 1 else 0.0


def sharpness_terms(iterations: int, round_: int, rounds: int) -> tuple[float, float, float, float, float, float]:
    """Return what the weights of a `Sharpness` multiply; strength counts within what was measured."""
    from clerestory.engine.elementary import log  # no help of a command needs it

    least, most = MEASURED
    strength = log(min(max(iterations, least), most) / EVEN) / log(10.0)
    later = float(max(round_ - 1, 0))
    return 1.0, strength, later, strength * later, float(round_ == rounds), float(round_ <= 1)


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
        sharpness: by number of seats, that of the win shares of a search with the learned value; none changes nothing.
        certainty: weights for the probability that a search ten times longer would name the same action: a constant,
            logarithms of all visits and of the lead in visits, the lead in score in standard errors.
        levels: NUM_LEVELS levels of play, weakest first.
        manners: of CHARACTERS, by name; who has none plays as its level does.
    """

    search: Mapping[int, Mapping[str, Any]]
    temperature: float
    scale: Mapping[int, float]
    worth_naming: float
    certainty: tuple[float, float, float, float]
    levels: tuple[Level, ...]
    told: tuple[str, ...] = ()
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
