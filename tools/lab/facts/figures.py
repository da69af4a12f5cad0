"""Figures with their 95 % intervals, over games, because the observations of a game are not independent."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
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
    """Return the mean of all observations, with an interval over games."""
    values: defaultdict[int, list[float]] = defaultdict(list)
    for game, value in observations:
        values[game].append(value)
    found = ratio([(sum(own), float(len(own))) for own in values.values()])
    return replace(found, count=sum(map(len, values.values())))


def ratio(pairs: Sequence[tuple[float, float]]) -> Figure:
    """Return the sum of the first numbers of games divided by that of the second ones, with an interval over games.

    Its variance is that of the linearized residuals (Cochran 1977, Sampling Techniques, 6.3), and the interval is
    Student's.
    """
    games, below = len(pairs), sum(second for _, second in pairs)
    mean = sum(first for first, _ in pairs) / below
    if games == 1:
        return Figure(mean, -inf, inf, games)
    residuals = sum((first - mean * second) ** 2 for first, second in pairs)
    half = deviations(0.05, games - 1) * sqrt(residuals * games / (games - 1)) / below
    return Figure(mean, mean - half, mean + half, games)


def share_of_variance(luck: Sequence[float], results: Sequence[float]) -> float:
    """Return the squared correlation of luck and results; 0 if either does not vary."""
    n = len(luck)
    mean, middle = sum(luck) / n, sum(results) / n
    both = sum((a - mean) * (b - middle) for a, b in zip(luck, results, strict=True))
    own, other = sum((a - mean) ** 2 for a in luck), sum((b - middle) ** 2 for b in results)
    return both * both / (own * other) if own * other else 0.0
