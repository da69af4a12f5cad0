"""The gain of one line over another in each feature, and whether it exceeds chance."""

from dataclasses import dataclass
from math import inf, pi, sqrt, tan
from statistics import NormalDist

FEWEST_WORLDS = 8  # minimum for an estimate of the error
CHANCE = 0.02  # probability that a sentence names a feature that does not differ, for any number of features


@dataclass(frozen=True, slots=True)
class Gain:
    """The difference between two lines in one feature, over worlds in which both were played.

    Attributes:
        feature: name of the feature.
        at_game_end: whether it is measured at the end of the game; otherwise at the end of the current round.
        mean: mean over the worlds, in the feature's unit.
        error: standard error of the mean, from paired differences.
        worlds: number of worlds.
    """

    feature: str
    at_game_end: bool
    mean: float
    error: float
    worlds: int

    def holds(self, features: int, least: float) -> bool:
        """Whether the gain is worth mentioning and larger than the largest of `features` differences by chance."""
        enough = self.worlds >= FEWEST_WORLDS and abs(self.mean) >= least
        return enough and abs(self.mean) > deviations(CHANCE / features, self.worlds - 1) * self.error


def gain(feature: str, worlds: int, total: float, squares: float, *, at_game_end: bool) -> Gain:
    """Return the gain from the sums of the differences and of their squares."""
    mean = total / worlds
    variance = max(squares / worlds - mean * mean, 0.0)
    return Gain(feature, at_game_end, mean, sqrt(variance / (worlds - 1)) if worlds > 1 else inf, worlds)


def deviations(chance: float, freedom: int) -> float:
    """Return the number of standard errors that a mean exceeds on either side with this probability.

    Student's t from the normal quantile (Abramowitz and Stegun 1964, 26.7.5) with `freedom` degrees of freedom. For one
    degree, where that series is a quarter too small at 5 %, the exact quantile (Cauchy's) is used.
    """
    if freedom == 1:
        return 1 / tan(pi * chance / 2)
    z = round(NormalDist().inv_cdf(1 - chance / 2), 9)  # its last digits depend on the C library
    square = z * z
    first = z * (square + 1) / 4
    second = z * ((5 * square + 16) * square + 3) / 96
    third = z * (((3 * square + 19) * square + 17) * square - 15) / 384
    return z + (first + (second + third / freedom) / freedom) / freedom
