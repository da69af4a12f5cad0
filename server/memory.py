"""The memory of this process: what it may take, and what it has."""

import resource
from pathlib import Path

from clerestory.advice.capacity import Capacity

BESIDE_TREES = 100_000_000  # bytes of everything but trees
STRANGERS = 300_000_000  # bytes that unfinished requests can take for a while
STATM = Path("/proc/self/statm")


def planned_bytes(capacity: Capacity) -> int:
    """Return the bytes that a server needs at most, while strangers send all that they can."""
    return capacity.memory + capacity.warm_bytes + BESIDE_TREES + STRANGERS


def resident_bytes() -> int:
    """Return the bytes of this process that are in memory now; where the system does not say, the most there were."""
    try:
        return int(STATM.read_text("ascii").split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
