"""How much memory trees get where nobody says: by what the machine, and a container, has left."""

import os
import resource
from pathlib import Path

import pytest

from clerestory.advice import Capacity
from clerestory.advice.machine import KEPT_PART, LEAST, MOST, memory_for_trees, usable_cores

GIB = 1 << 30
LIMITS_V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes")
V1, V2 = (
    ("sys/fs/cgroup/memory/memory.limit_in_bytes", "sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory.current"),
)


def machine(root: Path, files: dict[str, str]) -> Path:
    """Write the system's files of a machine."""
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
def test_trees_have_a_quarter_of_the_free_memory_and_kept_ones_an_eighth(
    tmp_path: Path, available: int, part: tuple[float, ...], trees: int
) -> None:
    assert memory_for_trees(machine(tmp_path, meminfo(available)), *part) == trees


@pytest.mark.parametrize(("limit", "usage"), [V1, V2])
def test_a_container_may_have_less(tmp_path: Path, limit: str, usage: str) -> None:
    root = machine(tmp_path, meminfo(16 * GIB) | {limit: str(6 * GIB), usage: str(2 * GIB)})
    assert memory_for_trees(root) == GIB
    assert memory_for_trees(machine(root, {limit: "max"})) == 4 * GIB


@pytest.mark.parametrize(("limit", "usage", "name"), [(*V1, "total_inactive_file"), (*V2, "inactive_file")])
def test_page_cache_of_a_container_is_free(tmp_path: Path, limit: str, usage: str, name: str) -> None:
    parts = str(Path(limit).with_name("memory.stat"))
    files = {limit: str(6 * GIB), usage: str(6 * GIB), parts: f"anon 9\n{name}_else 7\n{name} {4 * GIB}"}
    assert memory_for_trees(machine(tmp_path, meminfo(16 * GIB) | files)) == GIB


@pytest.mark.parametrize(
    ("group", "folder", "limit", "usage"),
    [
        ("0::/system.slice/clerestory.service", "", "memory.max", "memory.current"),
        ("9:name=systemd:/\n4:memory:/system.slice/clerestory.service\n0::/", "memory", *LIMITS_V1),
    ],
)
@pytest.mark.parametrize("limited", ["system.slice/clerestory.service", "system.slice"])
def test_a_service_may_have_less(limited: str, group: str, folder: str, limit: str, usage: str, tmp_path: Path) -> None:
    inside = Path("sys/fs/cgroup") / folder / limited
    files = {str(inside / limit): str(6 * GIB), str(inside / usage): str(2 * GIB), "proc/self/cgroup": group}
    assert memory_for_trees(machine(tmp_path, meminfo(16 * GIB) | files)) == GIB
    other = machine(tmp_path, {"proc/self/cgroup": "0::/system.slicer/other.service"})
    assert memory_for_trees(other) == 4 * GIB


def test_a_group_may_have_any_name(tmp_path: Path) -> None:
    root = machine(tmp_path, meminfo(16 * GIB) | {"proc/self/cgroup": "0::/user.slice/café.service"})
    assert memory_for_trees(root) == 4 * GIB
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


@pytest.mark.parametrize(
    "files",
    [
        {"sys/fs/cgroup/cpu.max": "100000 100000"},
        {"sys/fs/cgroup/cpu.max": "50000 100000"},
        {"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "100000", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000"},
        {"proc/self/cgroup": "0::/one/two", "sys/fs/cgroup/one/two/cpu.max": "100000 100000"},
        {
            "proc/self/cgroup": "3:cpu,cpuacct:/one",
            "sys/fs/cgroup/cpu/one/cpu.cfs_quota_us": "100000",
            "sys/fs/cgroup/cpu/one/cpu.cfs_period_us": "100000",
        },
    ],
)
def test_a_container_or_service_has_the_cores_of_its_quota(tmp_path: Path, files: dict[str, str]) -> None:
    assert usable_cores(machine(tmp_path, files)) == 1


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"sys/fs/cgroup/cpu.max": "max 100000"},
        {"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000"},
        {"sys/fs/cgroup/cpu.max": "100000000 100000"},
    ],
)
def test_without_a_quota_there_are_the_cores_of_the_process(tmp_path: Path, files: dict[str, str]) -> None:
    assert usable_cores(machine(tmp_path, files)) == len(os.sched_getaffinity(0))
