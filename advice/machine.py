"""The memory and the cores of this machine, or of its container."""

import os
import resource
from math import floor
from pathlib import Path

PART = 4  # of what is free is for the trees of searches
KEPT_PART = 8  # for those kept between two questions of a game
LEAST, MOST = 1 << 28, 1 << 32  # bytes for either
UNKNOWN = PART << 30  # taken to be free where the system does not say
V1 = "sys/fs/cgroup/memory/memory"
LIMITS = (  # of a container: the files of its limit, of what it uses, and of what that is, with the name of page cache
    ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory.current", "sys/fs/cgroup/memory.stat", "inactive_file"),
    (f"{V1}.limit_in_bytes", f"{V1}.usage_in_bytes", f"{V1}.stat", "total_inactive_file"),
)
QUOTAS = (  # of processor time that a container has, and in how much time: in one file, or in two
    ("sys/fs/cgroup/cpu.max",),
    ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "sys/fs/cgroup/cpu/cpu.cfs_period_us"),
)


def usable_cores(root: Path = Path("/")) -> int:
    """Return how many cores this process may use at the same time, as far as the system and its container let it.

    Args:
        root: the folder of the system's files.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for files in QUOTAS:
        numbers = " ".join(text_of(root / file) for file in files).split()
        if len(numbers) == 2 and all(number.isdigit() for number in numbers) and int(numbers[1]):
            cores = min(cores, max(floor(int(numbers[0]) / int(numbers[1])), 1))
    return cores


def memory_for_trees(root: Path = Path("/"), part: int = PART) -> int:
    """Return a part of the memory that is free now, a quarter, at least 268 MB and at most 4.3 GB.

    Args:
        root: the folder of the system's files.
        part: which one: 4 for a quarter.
    """
    return min(max(free_memory(root) // part, LEAST), MOST)


def free_memory(root: Path) -> int:
    """Return the bytes that this process can have more: the machine, its container and its own limit leave them.

    Page cache counts as free: it is given back.
    """
    found = [UNKNOWN if (available := available_memory(root)) is None else available]
    addresses, _ = resource.getrlimit(resource.RLIMIT_AS)
    if addresses != resource.RLIM_INFINITY:
        mapped, _ = pages(root)
        found.append(max(addresses - mapped * resource.getpagesize(), 0))
    for limit, usage, parts, cache in LIMITS:
        most, used = number_in(root / limit), number_in(root / usage)
        if most is not None and used is not None:
            found.append(max(most - used + number_of(cache, root / parts), 0))
    return min(found)


def available_memory(root: Path) -> int | None:
    """Return the bytes that programs can have without swapping; None where the system does not say."""
    for line in text_of(root / "proc/meminfo").splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) << 10
    return None


def pages(root: Path = Path("/")) -> tuple[int, int]:
    """Return the pages of this process, and those in memory; where the system does not say, the most there were."""
    numbers = text_of(root / "proc/self/statm").split()
    if len(numbers) < 2:
        most = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10) // resource.getpagesize()
        return most, most
    return int(numbers[0]), int(numbers[1])


def number_in(file: Path) -> int | None:
    """Return the number that is all of a file, None if there is none."""
    text = text_of(file).strip()
    return int(text) if text.isdigit() else None


def number_of(name: str, file: Path) -> int:
    """Return the number after a name, in a file with one of both a line; 0 if there is none."""
    numbers = (line.removeprefix(f"{name} ") for line in text_of(file).splitlines() if line.startswith(f"{name} "))
    return next((int(number) for number in numbers if number.isdigit()), 0)


def text_of(file: Path) -> str:
    """Return the text of a file, none if it cannot be read."""
    try:
        return file.read_text("ascii")
    except OSError:
        return ""
