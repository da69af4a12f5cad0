"""Servers as processes of their own: one for everybody, one that asks for a token, one with room for one search."""

import gc
import os
import signal
from collections.abc import Generator, Iterator

import pytest

from clerestory.cli.embedded import embedded_server
from clerestory.clients import Advisor
from lab.load.envoy import find_envoy
from tests import warm
from tests.postgres import cluster, database  # noqa: F401  # fixtures

os.environ["CLERESTORY_STORE"] = "memory:"  # no test keeps games where the user does
os.environ["LC_ALL"] = "C.UTF-8"  # commands speak English, whoever runs the tests
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell lets what it starts in the background ignore it
    signal.signal(signal.SIGINT, signal.default_int_handler)
warm.install()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two for each core, because most tests wait: for servers, clocks and disks."""
    return 2 * (os.cpu_count() or 1)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect thousands of tests without looking for garbage among them, then and later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


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
