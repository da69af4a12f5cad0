"""Counts have no keys for items that do not occur."""

from collections import Counter

from clerestory.counting import decrease


def test_a_count_of_0_is_removed() -> None:
    counts = Counter(a=2, b=1, c=1)
    decrease(counts, "a", "b")
    assert dict(counts) == {"a": 1, "c": 1}
