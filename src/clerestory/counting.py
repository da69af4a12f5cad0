"""Counts of which there are only those above 0."""

from collections import Counter
from collections.abc import Hashable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


def decrease(counts: Counter[Key], *keys: Key) -> None:
    """Take one from the counts of some keys, and remove those that are 0 then."""
    for key in keys:
        counts[key] -= 1
        if not counts[key]:
            del counts[key]
