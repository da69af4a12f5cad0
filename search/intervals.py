"""95 % intervals of means by Student's t."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from clerestory.search.gains import deviations


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with its 95 % interval, in the same unit."""

    mean: float
    low: float
    high: float


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the mean with its interval by Student's t; infinite for a single value."""
    mean = math.fsum(values) / len(values)
    if len(values) == 1:
        return Interval(mean, -math.inf, math.inf)
    return around(mean, math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1), len(values))


def around(mean: float, variance: float, count: int) -> Interval:
    """Return a mean with its interval by Student's t, from the variance of one value."""
    half = deviations(0.05, count - 1) * math.sqrt(variance / count)
    return Interval(mean, mean - half, mean + half)
