"""Sums of floats with the same bits in every version of Python."""

from collections.abc import Iterable


def total(values: Iterable[float]) -> float:
    """Return the sum of values, added in order. The built-in `sum` compensates rounding errors from Python 3.12 on."""
    found: float = 0
    for value in values:
        found += value
    return found
