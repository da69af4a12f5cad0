"""The memory and the cores of this machine, or of its container."""

import os
import resource
from itertools import product
from math import floor
from pathlib import Path

PART = 4  # of what is free is for the trees of searches
KEPT_PART = 8  # for those kept between two questions of a game
LEAST, MOST = 1 << 28, 1 << 32  # bytes for either
UNKNOWN = PART << 30  # taken to be free where the system does not say
GROUPS = "sys/fs/cgroup"
LIMITS = (  # of a group of processes: files of its limit and of what it uses, and the name of its page cache
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
QUOTAS = (  # of processor time that a group has, and in how much time: in one file, or in two
    ("cpu.max",),
    ("cpu.cfs_quota_us", "cpu.cfs_period_us"),
)


def usable_cores(root: Path = Path("/")) -> int:
    """Return how many cores this process may use at the same time, as far as system, container and service let it.

    Args:
        root: the folder of the system's files.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for folder, files in product(groups(root, "cpu"), QUOTAS):
        numbers = " ".join(text_of(folder / file) for file in files).split()
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
    """Return the bytes that this process can have more: machine, container, service and its own limit leave them.

    Page cache counts as free: it is given back.
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
    """Return the folders of the groups that may limit this process: its own, as of a service, and those around it.

    Inside a container its own group may seem to be the outermost, or not to be there.

    Args:
        root: the folder of the system's files.
        controller: `memory` or `cpu`, which has groups of its own in version 1.
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
    """Return the text of a file, none if it cannot be read; what is not ASCII, such as in names of groups, is lost."""
    try:
        return file.read_text("ascii", errors="replace")
    except OSError:
        return ""
