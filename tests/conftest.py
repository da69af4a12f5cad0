"""Servers as processes of their own: one for everybody, one that asks for a token, one with room for one search."""

import gc
import os
import signal
from collections.abc import Generator, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import chain, groupby
from pathlib import Path

import pytest

from clerestory.cli.embedded import embedded_server
from clerestory.clients import Advisor
from lab.load.envoy import find_envoy
from tests import warm
from tests.postgres import cluster, database  # noqa: F401  # fixtures

os.environ["CLERESTORY_STORE"] = "memory:"  # no test keeps games where the user does
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `learn` has it: threads that wait for each other are busy
os.environ["LC_ALL"] = "C.UTF-8"  # commands speak English, whoever runs the tests
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell lets what it starts in the background ignore it
    signal.signal(signal.SIGINT, signal.default_int_handler)
warm.install()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two for each core, because most tests wait: for servers, clocks and disks."""
    return 2 * (os.cpu_count() or 1)


HERE = Path(__file__).parent


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect thousands of tests without looking for garbage among them, then and later."""
    gc.disable()
    try:
        import_share(**getattr(session.config, "workerinput", {}))
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def import_share(workerid: str = "gw0", workercount: int = 1, **_: object) -> None:
    """Import this process's share of the files, which takes longest the first time: the others find it compiled."""
    files = sorted(HERE.rglob("test_*.py")) if workercount > 1 else []
    for file in files[int(workerid.removeprefix("gw")) :: workercount]:
        with suppress(Exception, pytest.skip.Exception):  # collection will say it
            import_module(".".join(file.relative_to(HERE.parent).with_suffix("").parts))


KILLING = "faults"  # the folder of tests that kill servers and wait for others: they would be late beside their like
LONG = ("browser", "learn", "arena", "lab")  # the other folders whose tests take seconds


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let each process begin with its share of what takes long, so that what is left for the end is short.

    A process gets its tests in one piece; those that are done take what is left from the end of another's.
    """
    processes = getattr(config, "workerinput", {}).get("workercount", 1)
    shares: list[list[pytest.Item]] = [[] for _ in range(processes)]
    short: list[pytest.Item] = []
    for number, (path, file) in enumerate(groupby(items, key=lambda item: item.path)):
        folder = path.relative_to(HERE).parts[0]
        other = shares[-1 - number % max(1, processes - 1)] if folder in LONG else short
        (shares[0] if folder == KILLING else other).extend(file)
    for share in shares:
        room = max(0, len(items) // processes - len(share))
        share += short[:room]
        del short[:room]
    items[:] = [*chain.from_iterable(shares), *short]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say why tests were run again that have passed since."""
    for report in terminalreporter.getreports("rerun"):
        crash = getattr(report.longrepr, "reprcrash", None)
        terminalreporter.line(f"{report.nodeid} was run again: {crash.message if crash else report.longrepr}")


TOKEN = "open-sesame-open"


@pytest.fixture(scope="session")
def target() -> Iterator[str]:
    with embedded_server("--workers", "1") as target:
        yield target


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that wants to see TOKEN."""
    path = tmp_path_factory.mktemp("guarded") / "tokens"
    path.write_text(TOKEN)
    with embedded_server("--workers", "1", "--token-file", str(path)) as target:
        yield target


@pytest.fixture(scope="session")
def narrow() -> Iterator[str]:
    """A server with room for one search: it admits another only after that one has ended."""
    with embedded_server("--workers", "1", "--max-searches", "1") as target:
        yield target


@pytest.fixture
def envoy() -> str:
    """The program, where it is installed."""
    try:
        return find_envoy()
    except FileNotFoundError as error:
        pytest.skip(str(error))


@pytest.fixture
def advisor(target: str) -> Iterator[Advisor]:
    with Advisor(target) as advisor:
        yield advisor
