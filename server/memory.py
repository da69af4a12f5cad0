"""Reports the memory of this process: its planned, current and maximum use."""

import resource
from pathlib import Path

from clerestory.server.analysis.capacity import Capacity
from clerestory.server.analysis.machine import free_memory, pages

BESIDE_TREES = 100_000_000  # bytes for everything except trees
STRANGERS = 300_000_000  # bytes that unfinished requests can take


def planned_bytes(capacity: Capacity) -> int:
    """Return the maximum number of bytes that a server needs, even under a flood of unfinished requests."""
    return capacity.memory + capacity.warm_bytes + BESIDE_TREES + STRANGERS


def resident_bytes() -> int:
    """Return the resident memory of this process in bytes; its peak where the system does not report it."""
    return pages()[1] * resource.getpagesize()


def limit_bytes() -> int:
    """Return the bytes that this process could have in memory, including those in use."""
    return resident_bytes() + free_memory(Path("/"))
