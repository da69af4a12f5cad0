"""The statistics of a match: score share, Elo and a sequential test, with the deal as the sampling unit.

Games of one deal share their cards and are not independent; deals are. A score is the mean win share over the games of
one deal, 0 to 1. An Elo difference compares the one player whose scores are given with all the others.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from clerestory.search.intervals import Interval, around, mean_interval

Z95 = 1.959963984540054  # two-sided 95 % quantile of the normal distribution


def moments(scores: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the variance of one score, as defined by `moments_of_sums`."""
    return moments_of_sums(len(scores), math.fsum(scores), math.fsum(score * score for score in scores))


def moments_of_sums(number: int, total: float, squares: float) -> tuple[float, float]:
    """Return the mean and the variance (above 0) of one score from the sums of scores and of their squares.

    Half a deal won and half a deal lost are added before computing the variance, after Agresti and Coull (1998, The
    American Statistician 52), so that a few deals, or deals that all end alike, do not look certain.
    """
    padded, square = (total + 0.5) / (number + 1), (squares + 0.5) / (number + 1)
    return total / number, square - padded * padded


def score_interval(scores: Sequence[float]) -> Interval:
    """Return the score share with Wilson's interval (1927, JASA 22) for the effective number of games.

    That number is p(1 - p) / (variance of the mean), the effective sample size of Korn and Graubard (1998, Survey
    Methodology 24), with p and the variance from `moments`. The interval stays within 0 and 1.
    """
    mean, variance = moments(scores)
    middle = (math.fsum(scores) + 0.5) / (len(scores) + 1)
    games = len(scores) * middle * (1 - middle) / variance
    z2 = Z95 * Z95 / games
    centre = (mean + z2 / 2) / (1 + z2)
    half = Z95 / (1 + z2) * math.sqrt(mean * (1 - mean) / games + z2 / (4 * games))
    return Interval(mean, max(min(centre - half, mean), 0.0), min(max(centre + half, mean), 1.0))  # rounding


def adjusted_interval(scores: Sequence[float]) -> Interval:
    """Return the mean of luck-adjusted scores, which may lie outside 0 to 1, with its interval.

    The variance is that of `moments`, so that deals that all end alike do not look certain.
    """
    mean, variance = moments(scores)
    return around(mean, variance, len(scores)) if len(scores) > 1 else mean_interval(scores)


def elo_of(score: float, seats: int) -> float:
    """Return the Elo difference for a score share; infinite for 0 and 1.

    With strengths a and b = 1 (Bradley and Terry 1952; Luce 1959 for more than two), one player among n wins
    a / (a + n - 1); Elo is 400 log10 a.
    """
    if score in (0, 1):
        return math.inf if score else -math.inf
    return 400 * math.log10(score * (seats - 1) / (1 - score))


def score_of(elo: float, seats: int) -> float:
    """Return the score share for an Elo difference; the inverse of `elo_of`."""
    return 1 / (1 + (seats - 1) * 10 ** (-elo / 400))


def elo_interval(score: Interval, seats: int) -> Interval:
    """Return the Elo difference with its interval."""
    return Interval(*(elo_of(share, seats) for share in (score.mean, score.low, score.high)))


class SprtVerdict(StrEnum):
    """The state of a sequential test."""

    H0 = "H0"  # the difference is elo0
    H1 = "H1"  # the difference is elo1
    OPEN = "open"  # more deals are needed


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential probability ratio test (Wald 1945) of elo1 against elo0.

    Attributes:
        elo0, elo1: the two differences, elo0 the lower.
        alpha: probability of deciding for elo1 when elo0 is true.
        beta: probability of deciding for elo0 when elo1 is true.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def llr(self, seats: int, number: int, total: float, squares: float) -> float:
        """Return the log-likelihood ratio in its normal approximation, with the variance of whole deals.

        N (s1 - s0) (2 mean - s0 - s1) / (2 variance): M. Van den Bergh, "A practical introduction to the GSPRT"
        (fishtest); for two seats this is its pentanomial model of game pairs. The scores are given by their number,
        their sum and the sum of their squares.
        """
        mean, variance = moments_of_sums(number, total, squares)
        low, high = score_of(self.elo0, seats), score_of(self.elo1, seats)
        return number * (high - low) * (2 * mean - low - high) / (2 * variance)

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the log-likelihood ratios at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)


class SprtCourse:
    """A sequential test in progress. It ends at the first deal that decides it; later deals change nothing (Wald).

    Attributes:
        llr: log-likelihood ratio, at the end of the test or so far.
        verdict: verdict at the same point.
    """

    def __init__(self, test: Sprt, seats: int) -> None:
        self.llr, self.verdict = 0.0, SprtVerdict.OPEN
        self._test, self._seats = test, seats
        self._number, self._total, self._squares = 0, 0.0, 0.0

    def add(self, score: float) -> None:
        """Add the score of the next deal."""
        if self.verdict != SprtVerdict.OPEN:
            return
        self._number, self._total, self._squares = self._number + 1, self._total + score, self._squares + score * score
        self.llr = self._test.llr(self._seats, self._number, self._total, self._squares)
        lower, upper = self._test.bounds
        if not lower < self.llr < upper:
            self.verdict = SprtVerdict.H1 if self.llr >= upper else SprtVerdict.H0
