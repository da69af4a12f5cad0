"""Decrements counters, removing entries that reach 0."""

from collections import Counter
from collections.abc import Hashable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


def decrease(counts: Counter[Key], *keys: Key) -> None:
    """Decrement the counts of some keys, and remove those that reach 0."""
    for key in keys:
        counts[key] -= 1
        if not counts[key]:
            del counts[key]
