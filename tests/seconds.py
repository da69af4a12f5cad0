"""What `make test` spends: `-p tests.seconds` lists tests and files that cost most CPU time, with what they start."""

import os
from collections import Counter
from collections.abc import Generator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

LISTED = 25
TICK = os.sysconf("SC_CLK_TCK")  # ticks of the kernel's clock in a second
SPENT = Counter[str]()


def spent(process: int) -> float:
    """The CPU seconds of a process, of its children, and of those that have ended and were waited for.

    While processes end, the kernel may leave others out: until two looks in a row find the same ones, we look again.
    """
    before, now = family(process), family(process)
    while before.keys() != now.keys():
        before, now = now, family(process)
    return sum(now.values())


def family(process: int) -> dict[int, float]:
    """The CPU seconds of a process and of each one that comes from it, with those that each has waited for."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended meanwhile
        return {}
    own = {process: sum(map(int, fields[11:15])) / TICK}
    return own | dict(chain.from_iterable(family(child).items() for child in children(process)))


def children(process: int) -> set[int]:
    """The processes that the threads of a process have begun."""
    found = set[int]()
    with suppress(OSError):  # the process has ended meanwhile
        for task in Path(f"/proc/{process}/task").iterdir():
            with suppress(OSError):  # this thread has: only what it began is not seen
                found.update(map(int, (task / "children").read_text().split()))
    return found


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    item.stash[BEFORE] = spent(os.getpid())
    return (yield)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    try:
        return (yield)
    finally:
        seconds = max(spent(os.getpid()) - item.stash[BEFORE], 0.0)  # what nobody waited for is forgotten when it ends
        item.user_properties.append(("seconds", round(seconds, 2)))


BEFORE = pytest.StashKey[float]()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "teardown":
        SPENT[report.nodeid] = dict(report.user_properties).get("seconds", 0.0)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    files = Counter[str]()
    for name, seconds in SPENT.items():
        files[name.partition("::")[0]] += seconds
    terminalreporter.section(f"CPU seconds: {sum(SPENT.values()):.0f} in all")
    for name, seconds in [*SPENT.most_common(LISTED), *files.most_common(LISTED)]:
        terminalreporter.write_line(f"{seconds:6.1f}  {name}")
