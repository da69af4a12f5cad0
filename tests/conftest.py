"""Fixtures and options shared by all tests."""

import os
import shlex
import signal
from collections.abc import Generator, Iterator

import pytest

from clerestory.clients import Advisor
from clerestory.i18n.languages import ENGLISH
from clerestory.server.games.stores import committer
from clerestory.server.rpc.locale import LOCALE
from loadtest.envoy import find_envoy
from tests.parts import ALLOWED, missing
from tests.postgres import cluster, database  # noqa: F401  # fixtures
from tests.servers import running_server

os.environ["CLERESTORY_STORE"] = "memory:"  # keeps tests' games out of the user's store
os.environ["LC_ALL"] = "C.UTF-8"  # commands print English for any user
committer.ANSWER = 600.0  # seconds: no test fails because a disk is slow for a while
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as in the background of a script
    signal.signal(signal.SIGINT, signal.default_int_handler)  # restores it for programs started by tests

TOKEN = "open-sesame-open"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--allow-missing", action="store_true", help="skip system tests whose programs are not installed")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--allow-missing"):
        os.environ[ALLOWED] = "1"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a failure the command that runs the test alone."""
    report = yield
    if report.failed:
        seed = item.config.getoption("randomly_seed", None)  # None without the plugin
        order = "" if seed is None else f"--randomly-seed={seed} "
        command = f".venv/bin/python -m pytest -m '' {order}{shlex.quote(item.nodeid)}"
        report.sections.append(("to run it alone", command))
    return report


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Let the next test begin in English."""
    yield
    LOCALE.set(ENGLISH)


@pytest.fixture(scope="session")
def target() -> Iterator[str]:
    """The address of a server shared by many tests."""
    with running_server() as target:
        yield target


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that requires TOKEN."""
    path = tmp_path_factory.mktemp("guarded") / "tokens"
    path.write_text(TOKEN)
    with running_server(token_file=path) as target:
        yield target


@pytest.fixture(scope="session")
def narrow() -> Iterator[str]:
    """The address of a server with room for one search: it admits the next one only after that one has ended."""
    with running_server(max_searches=1) as target:
        yield target


@pytest.fixture
def advisor(target: str) -> Iterator[Advisor]:
    with Advisor(target) as advisor:
        yield advisor


@pytest.fixture
def envoy() -> str:
    """The path of Envoy."""
    try:
        return find_envoy()
    except FileNotFoundError:
        missing("Envoy", "make .venv/.load")
