"""The memory of this machine."""

from pathlib import Path

PART = 4  # of what is free is for the trees of searches
KEPT_PART = 8  # for those kept between two questions of a game
LEAST, MOST = 1 << 28, 1 << 32  # bytes for either
UNKNOWN = PART << 30  # taken to be free where the system does not say
LIMITS = (  # of a container, and what it uses of it
    ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory.current"),
    ("sys/fs/cgroup/memory/memory.limit_in_bytes", "sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def memory_for_trees(root: Path = Path("/"), part: int = PART) -> int:
    """Return a part of the memory that is free now, a quarter, at least 268 MB and at most 4.3 GB.

    Args:
        root: the folder of the system's files.
        part: which one: 4 for a quarter.
    """
    return min(max(free_memory(root) // part, LEAST), MOST)


def free_memory(root: Path) -> int:
    """Return the bytes that are free in this machine and in this container."""
    found = [UNKNOWN if (available := available_memory(root)) is None else available]
    for limit, usage in LIMITS:
        most, used = number_in(root / limit), number_in(root / usage)
        if most is not None and used is not None:
            found.append(max(most - used, 0))
    return min(found)


def available_memory(root: Path) -> int | None:
    """Return the bytes that programs can have without swapping; None where the system does not say."""
    for line in text_of(root / "proc/meminfo").splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) << 10
    return None


def number_in(file: Path) -> int | None:
    """Return the number that is all of a file, None if there is none."""
    text = text_of(file).strip()
    return int(text) if text.isdigit() else None


def text_of(file: Path) -> str:
    """Return the text of a file, none if it cannot be read."""
    try:
        return file.read_text("ascii")
    except OSError:
        return ""
