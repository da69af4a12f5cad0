"""Intervals of means, compared with numbers computed by hand."""

from math import inf, sqrt

import pytest

from clerestory.search.intervals import Interval, around, mean_interval


def test_the_interval_of_a_mean() -> None:
    # Sample variance 2.5; t is 2.776 with four degrees of freedom, 1.984 with 99, 12.706 with one.
    half = 2.776 * sqrt(2.5 / 5)
    few = mean_interval([1.0, 2.0, 3.0, 4.0, 5.0])
    assert few == Interval(3.0, pytest.approx(3 - half, abs=0.01), pytest.approx(3 + half, abs=0.01))
    assert few == around(3.0, 2.5, 5)
    assert mean_interval([0.0, 2.0] * 50).high == pytest.approx(1 + 1.984 * sqrt(1 / 99), abs=1e-4)
    assert mean_interval([0.0, 2.0]).high == pytest.approx(1 + 12.706, abs=1e-3)  # the deviation is 1
    assert mean_interval([7.0]) == Interval(7.0, -inf, inf)
