"""Detects the memory and cores available to this process, within the limits of its container."""

import os
import resource
from itertools import product
from math import floor
from pathlib import Path

PART = 4  # 1/PART of the free memory is for the trees of searches
KEPT_PART = 8  # 1/KEPT_PART is for trees kept between queries of a game
LEAST, MOST = 1 << 28, 1 << 32  # bytes, for both
UNKNOWN = PART << 30  # free bytes to assume if unknown
GROUPS = "sys/fs/cgroup"
LIMITS = (  # of a cgroup: limit file, usage file, and the name of its page cache
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
QUOTAS = (  # CPU quota and period of a cgroup, in one file or two
    ("cpu.max",),
    ("cpu.cfs_quota_us", "cpu.cfs_period_us"),
)


def usable_cores(root: Path = Path("/")) -> int:
    """Return how many cores this process may use, within the limits of system, container and service.

    Args:
        root: the root of the file system.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for folder, files in product(groups(root, "cpu"), QUOTAS):
        numbers = " ".join(text_of(folder / file) for file in files).split()
        if len(numbers) == 2 and all(number.isdigit() for number in numbers) and int(numbers[1]):
            cores = min(cores, max(floor(int(numbers[0]) / int(numbers[1])), 1))
    return cores


def memory_for_trees(root: Path = Path("/"), part: int = PART) -> int:
    """Return 1/part of the free memory in bytes, between 268 MB and 4.3 GB.

    Args:
        root: the root of the file system.
        part: the divisor.
    """
    return min(max(free_memory(root) // part, LEAST), MOST)


def free_memory(root: Path) -> int:
    """Return the bytes that this process can still allocate, within all limits on machine, container and process.

    Page cache counts as free, because the system reclaims it.
    """
    found = [UNKNOWN if (available := available_memory(root)) is None else available]
    addresses, _ = resource.getrlimit(resource.RLIMIT_AS)
    if addresses != resource.RLIM_INFINITY:
        mapped, _ = pages(root)
        found.append(max(addresses - mapped * resource.getpagesize(), 0))
    for folder, (limit, usage, cache) in product(groups(root, "memory"), LIMITS):
        most, used = number_in(folder / limit), number_in(folder / usage)
        if most is not None and used is not None:
            found.append(max(most - used + number_of(cache, folder / "memory.stat"), 0))
    return min(found)


def groups(root: Path, controller: str) -> set[Path]:
    """Return the folders of the cgroups that may limit this process: its own, and those around it.

    Inside a container, its own cgroup may appear as the root, or be invisible.

    Args:
        root: the root of the file system.
        controller: `memory` or `cpu`; in version 1 each has separate cgroups.
    """
    found = {root / GROUPS, root / GROUPS / controller}
    for line in text_of(root / "proc/self/cgroup").splitlines():
        _, names, path = line.split(":", 2)
        if names in ("", controller) or controller in names.split(","):
            top = root / GROUPS / (controller if names else "")
            own = top / path.lstrip("/")
            found |= {own, *(folder for folder in own.parents if folder.is_relative_to(top))}
    return found


def available_memory(root: Path) -> int | None:
    """Return the bytes available without swapping; None if unknown."""
    for line in text_of(root / "proc/meminfo").splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) << 10
    return None


def pages(root: Path = Path("/")) -> tuple[int, int]:
    """Return the number of mapped and of resident pages of this process; their peak if unknown."""
    numbers = text_of(root / "proc/self/statm").split()
    if len(numbers) < 2:
        most = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10) // resource.getpagesize()
        return most, most
    return int(numbers[0]), int(numbers[1])


def number_in(file: Path) -> int | None:
    """Return the number in a file; None if it contains anything else."""
    text = text_of(file).strip()
    return int(text) if text.isdigit() else None


def number_of(name: str, file: Path) -> int:
    """Return the number after a name, in a file with one pair a line; 0 if there is none."""
    numbers = (line.removeprefix(f"{name} ") for line in text_of(file).splitlines() if line.startswith(f"{name} "))
    return next((int(number) for number in numbers if number.isdigit()), 0)


def text_of(file: Path) -> str:
    """Return the text of a file, "" if it cannot be read, with non-ASCII characters (of cgroup names) replaced."""
    try:
        return file.read_text("ascii", errors="replace")
    except OSError:
        return ""
