"""What `make test` spends: `-p tests.seconds` lists the tests that cost most CPU time, with that of what they start."""

import os
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

LISTED = 25
TICK = os.sysconf("SC_CLK_TCK")  # ticks of the kernel's clock in a second
SPENT = Counter[str]()


def spent(process: int) -> float:
    """The CPU seconds of a process, of its children, and of those that have ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        children = {child for task in tasks for child in (task / "children").read_text().split()}
    except OSError:  # it has ended meanwhile
        return 0.0
    return sum(map(int, fields[11:15])) / TICK + sum(spent(int(child)) for child in children)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    item.stash[BEFORE] = spent(os.getpid())
    return (yield)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    try:
        return (yield)
    finally:
        item.user_properties.append(("seconds", round(spent(os.getpid()) - item.stash[BEFORE], 2)))


BEFORE = pytest.StashKey[float]()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "teardown":
        SPENT[report.nodeid] = dict(report.user_properties).get("seconds", 0.0)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.section(f"CPU seconds: {sum(SPENT.values()):.0f} in all")
    for name, seconds in SPENT.most_common(LISTED):
        terminalreporter.write_line(f"{seconds:6.1f}  {name}")
