"""Sums of floats."""

from clerestory.sums import total


def test_values_are_added_in_order_without_compensation() -> None:
    assert total([0.1] * 10) == 0.9999999999999999  # as `sum` of Python 3.11; that of 3.12 is 1.0
    assert total([1e100, 1.0, -1e100]) == 0.0
    assert total([]) == 0
