"""The memory of this process: what it may take, what it has, and what it could have."""

import resource
from pathlib import Path

from clerestory.advice.capacity import Capacity
from clerestory.advice.machine import free_memory

BESIDE_TREES = 100_000_000  # bytes of everything but trees
STRANGERS = 300_000_000  # bytes that unfinished requests can take for a while
STATM = Path("/proc/self/statm")


def planned_bytes(capacity: Capacity) -> int:
    """Return the bytes that a server needs at most, while strangers send all that they can."""
    return capacity.memory + capacity.warm_bytes + BESIDE_TREES + STRANGERS


def resident_bytes() -> int:
    """Return the bytes of this process that are in memory now; where the system does not say, the most there were."""
    return pages()[1] * resource.getpagesize()


def limit_bytes() -> int:
    """Return the bytes that this process could have in memory, with those that it has."""
    mapped, resident = (count * resource.getpagesize() for count in pages())
    left = [free_memory(Path("/"))]
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY:
        left.append(max(most - mapped, 0))
    return resident + min(left)


def pages() -> tuple[int, int]:
    """Return the pages of this process, and those in memory; where the system does not say, the most there were."""
    try:
        mapped, resident, *_ = STATM.read_text("ascii").split()
    except OSError:
        most = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10) // resource.getpagesize()
        return most, most
    return int(mapped), int(resident)
