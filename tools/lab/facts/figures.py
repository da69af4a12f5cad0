"""Figures with their 95 % intervals, over games, because the observations of a game are not independent."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, sqrt

from clerestory.search.gains import deviations

Observation = tuple[int, float]  # number of the game, value


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean with its 95 % interval.

    Attributes:
        mean: the mean.
        low: lower end of the interval.
        high: upper end.
        count: number of observations.
    """

    mean: float
    low: float
    high: float
    count: int


def figure(observations: Iterable[Observation]) -> Figure:
    """Return the mean of all observations, with an interval over games.

    The mean is a ratio of two sums over games; its variance is that of their linearized residuals (Cochran 1977,
    Sampling Techniques, 6.3), and the interval is Student's.
    """
    values: defaultdict[int, list[float]] = defaultdict(list)
    for game, value in observations:
        values[game].append(value)
    count = sum(map(len, values.values()))
    mean = sum(map(sum, values.values())) / count
    if len(values) == 1:
        return Figure(mean, -inf, inf, count)
    residuals = sum((sum(own) - len(own) * mean) ** 2 for own in values.values())
    games = len(values)
    half = deviations(0.05, games - 1) * sqrt(residuals * games / (games - 1)) / count
    return Figure(mean, mean - half, mean + half, count)


def share_of_variance(luck: Sequence[float], results: Sequence[float]) -> float:
    """Return the squared correlation of luck and results; 0 if either does not vary."""
    n = len(luck)
    mean, middle = sum(luck) / n, sum(results) / n
    both = sum((a - mean) * (b - middle) for a, b in zip(luck, results, strict=True))
    own, other = sum((a - mean) ** 2 for a in luck), sum((b - middle) ** 2 for b in results)
    return both * both / (own * other) if own * other else 0.0
