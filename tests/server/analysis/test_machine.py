"""The default memory for trees: derived from the free memory of the machine, and of a container."""

import os
import resource
from pathlib import Path

import pytest

from clerestory.server.analysis import Capacity
from clerestory.server.analysis.machine import KEPT_PART, LEAST, MOST, memory_for_trees, usable_cores

GIB = 1 << 30
V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
V2 = ("memory.max", "memory.current", "inactive_file")
SERVICE = "system.slice/clerestory.service"
IN_SERVICE = {"proc/self/cgroup": f"0::/{SERVICE}"}
IN_SERVICE_V1 = {"proc/self/cgroup": f"9:name=systemd:/\n4:memory:/{SERVICE}\n0::/"}


def machine(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")
    return root


def meminfo(available: int) -> dict[str, str]:
    return {"proc/meminfo": f"MemTotal: 99 kB\nMemAvailable: {available >> 10} kB\nBuffers: 1 kB"}


@pytest.mark.parametrize(
    ("available", "part", "trees"),
    [
        *((8 * GIB, (), 2 * GIB), (100 * GIB, (), MOST), (GIB // 8, (), LEAST)),
        *((16 * GIB, (KEPT_PART,), 2 * GIB), (100 * GIB, (KEPT_PART,), MOST), (GIB, (KEPT_PART,), LEAST)),
    ],
)
def test_trees_have_a_part_of_free_memory(tmp_path: Path, available: int, part: tuple[float, ...], trees: int) -> None:
    assert memory_for_trees(machine(tmp_path, meminfo(available)), *part) == trees


def limited(names: tuple[str, str, str], folder: str = "", usage: int = 2 * GIB, cached: int = 0) -> dict[str, str]:
    """Return the files of a control group limited to 6 GiB, whose page cache uses part of its memory."""
    [limit, used, cache] = names
    texts = {limit: 6 * GIB, used: usage, "memory.stat": f"anon 9\n{cache}_else 7\n{cache} {cached}"}
    return {f"sys/fs/cgroup/{folder}/{name}": str(text) for name, text in texts.items()}


LIMITED = {
    "container": limited(V2),
    "container, version 1": limited(V1, "memory"),
    "page cache": limited(V2, "", 6 * GIB, 4 * GIB),
    "page cache, version 1": limited(V1, "memory", 6 * GIB, 4 * GIB),
    "service": limited(V2, SERVICE) | IN_SERVICE,
    "service, version 1": limited(V1, f"memory/{SERVICE}") | IN_SERVICE_V1,
    "slice": limited(V2, "system.slice") | IN_SERVICE,
    "slice, version 1": limited(V1, "memory/system.slice") | IN_SERVICE_V1,
}
UNLIMITED = {
    "no limit": limited(V2) | {"sys/fs/cgroup//memory.max": "max"},
    "no limit, version 1": limited(V1, "memory") | {"sys/fs/cgroup/memory/memory.limit_in_bytes": "max"},
    "another service": limited(V2, SERVICE) | {"proc/self/cgroup": "0::/system.slicer/other.service"},
    "any name": {"proc/self/cgroup": "0::/user.slice/café.service"},
}


@pytest.mark.parametrize("files", [*LIMITED.values(), *UNLIMITED.values()], ids=[*LIMITED, *UNLIMITED])
def test_a_container_or_service_may_have_less(files: dict[str, str], tmp_path: Path) -> None:
    root = machine(tmp_path, meminfo(16 * GIB) | files)
    assert memory_for_trees(root) == (GIB if files in LIMITED.values() else 4 * GIB)
    assert usable_cores(root) == usable_cores()


def test_a_process_may_have_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mapped = 2 * GIB // resource.getpagesize()
    root = machine(tmp_path, meminfo(16 * GIB) | {"proc/self/statm": f"{mapped} 100 50 1 0 200 0"})
    assert memory_for_trees(root) == 4 * GIB
    monkeypatch.setattr(resource, "getrlimit", lambda _: (6 * GIB, resource.RLIM_INFINITY))
    assert memory_for_trees(root) == GIB


def test_a_system_that_does_not_say_has_four_gib(tmp_path: Path) -> None:
    assert memory_for_trees(tmp_path) == GIB


def test_they_are_the_defaults_and_a_setting_goes_above_them() -> None:
    assert LEAST <= Capacity().warm_bytes <= Capacity().memory <= MOST
    assert Capacity(memory=100 * GIB, warm_bytes=50 * GIB).memory == 100 * GIB


QUOTA_V1 = {"cpu.cfs_quota_us": "100000", "cpu.cfs_period_us": "100000"}
CORES: dict[str, tuple[dict[str, str], int]] = {
    "a core": ({"sys/fs/cgroup/cpu.max": "100000 100000"}, 1),
    "half a core": ({"sys/fs/cgroup/cpu.max": "50000 100000"}, 1),
    "version 1": ({f"sys/fs/cgroup/cpu/{name}": text for name, text in QUOTA_V1.items()}, 1),
    "service": ({"proc/self/cgroup": "0::/one/two", "sys/fs/cgroup/one/two/cpu.max": "100000 100000"}, 1),
    "service, version 1": (
        {
            "proc/self/cgroup": "3:cpu,cpuacct:/one",
            **{f"sys/fs/cgroup/cpu/one/{name}": text for name, text in QUOTA_V1.items()},
        },
        1,
    ),
    "no file": ({}, len(os.sched_getaffinity(0))),
    "no quota": ({"sys/fs/cgroup/cpu.max": "max 100000"}, len(os.sched_getaffinity(0))),
    "no quota, version 1": (
        {f"sys/fs/cgroup/cpu/{name}": text for name, text in (QUOTA_V1 | {"cpu.cfs_quota_us": "-1"}).items()},
        len(os.sched_getaffinity(0)),
    ),
    "a large quota": ({"sys/fs/cgroup/cpu.max": "100000000 100000"}, len(os.sched_getaffinity(0))),
}


@pytest.mark.parametrize(("files", "cores"), CORES.values(), ids=CORES)
def test_a_container_or_service_has_the_cores_of_its_quota(tmp_path: Path, files: dict[str, str], cores: int) -> None:
    assert usable_cores(machine(tmp_path, files)) == cores
