"""The memory of this process: what it may take, what it has, and what it could have."""

import resource
from pathlib import Path

from clerestory.advice.capacity import Capacity
from clerestory.advice.machine import free_memory, pages

BESIDE_TREES = 100_000_000  # bytes of everything but trees
STRANGERS = 300_000_000  # bytes that unfinished requests can take for a while


def planned_bytes(capacity: Capacity) -> int:
    """Return the bytes that a server needs at most, while strangers send all that they can."""
    return capacity.memory + capacity.warm_bytes + BESIDE_TREES + STRANGERS


def resident_bytes() -> int:
    """Return the bytes of this process that are in memory now; where the system does not say, the most there were."""
    return pages()[1] * resource.getpagesize()


def limit_bytes() -> int:
    """Return the bytes that this process could have in memory, with those that it has."""
    return resident_bytes() + free_memory(Path("/"))
