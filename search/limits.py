"""The limits of a search: time, memory and threads."""

import math
from numbers import Integral

from clerestory.search.errors import BadLimit

MAX_ITERATIONS = (1 << 63) - 1
LONGEST_TIME = 24 * 3600.0  # seconds: maximum time of a search
MIN_BYTES = 1 << 16  # of a tree
DEFAULT_MAX_BYTES = 256 << 20
REVIEW_TREE_BYTES = 32 << 20  # of each search of a review, the same on every machine: a full tree would change it
MAX_VISITS = 4_000_000_000  # counted in a tree, in 32-bit counters
MAX_THREADS = 256


def end_of_run(seconds: object, deadline: object, started: float) -> float:
    """Return the earlier end as a clock reading, infinity for none. Raises BadLimit."""
    until = math.inf
    if seconds is not None:
        if not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
            raise BadLimit("seconds", f"{seconds!r} is not a number above 0")
        until = started + seconds
    if deadline is not None:
        if not isinstance(deadline, (int, float)) or math.isnan(deadline):
            raise BadLimit("deadline", f"{deadline!r} is not a clock reading")
        until = min(until, deadline)
    return until


def require_threads(threads: object) -> None:
    """Raise BadLimit for a number of threads out of its range."""
    if isinstance(threads, bool) or not isinstance(threads, Integral) or not 0 < int(threads) <= MAX_THREADS:
        raise BadLimit("threads", f"{threads!r} is not a whole number from 1 to {MAX_THREADS}")
