"""Reports the memory of this process, planned, current and maximum, and schedules the collection of its garbage."""

import gc
import resource
from pathlib import Path

from clerestory.server.analysis.capacity import Capacity
from clerestory.server.analysis.machine import free_memory, pages

BESIDE_TREES = 100_000_000  # bytes for everything except trees
STRANGERS = 300_000_000  # bytes that unfinished requests can take
FULL_COLLECTION = 100  # middle collections between two full ones: about 700,000 new objects


def planned_bytes(capacity: Capacity) -> int:
    """Return the maximum number of bytes that a server needs, even under a flood of unfinished requests."""
    return capacity.memory + capacity.warm_bytes + BESIDE_TREES + STRANGERS


def resident_bytes() -> int:
    """Return the resident memory of this process in bytes; its peak where the system does not report it."""
    return pages()[1] * resource.getpagesize()


def limit_bytes() -> int:
    """Return the bytes that this process could have in memory, including those in use."""
    return resident_bytes() + free_memory(Path("/"))


def collect_seldom() -> None:
    """Let the garbage collector visit long-lived objects less often; those that exist now, never.

    A full collection blocks the event loop, with 6,000 games in memory for 0.3 s. Python would begin one whenever a
    quarter of the objects is new.
    """
    gc.freeze()
    youngest, middle, _ = gc.get_threshold()
    gc.set_threshold(youngest, middle, FULL_COLLECTION)
