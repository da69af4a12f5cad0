"""Percentiles of what was measured."""

from collections.abc import Sequence
from math import ceil


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that at least `percent` percent of them do not exceed (nearest rank); 0 of none."""
    ordered = sorted(values)
    return ordered[max(ceil(len(ordered) * percent / 100) - 1, 0)] if ordered else 0.0
