"""Limits the calls in progress, so that a caller with many leaves room for others."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from clerestory.counting import decrease
from clerestory.service_errors import Reason, ServiceError

RETRY = 0.1  # seconds after which a caller with too many calls may retry


class InProgress:
    """The calls in progress. A caller may have as many as there are free slots.

    Args:
        most: maximum number of calls of all callers.
    """

    def __init__(self, most: int) -> None:
        self._most, self._total = most, 0
        self._of: Counter[str] = Counter()

    @contextmanager
    def taken(self, caller: str) -> Iterator[None]:
        """Count a call during the block. Raises ServiceError: BUSY."""
        if self._of[caller] >= self._most - self._total:
            raise ServiceError(
                Reason.BUSY,
                [("", f"{self._of[caller]} calls of this caller are in progress, the most allowed now")],
                RETRY,
            )
        self._of[caller] += 1
        self._total += 1
        try:
            yield
        finally:
            self._total -= 1
            decrease(self._of, caller)
