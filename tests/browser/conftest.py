"""A tab of a real browser on the lobby of a server, as a person would see it."""

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from traceback import extract_tb

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright
from playwright.sync_api import TimeoutError as Waited

from lab.browser import NoBrowser, chromium, experienced, page_server
from tests.browser.harness import PATIENCE, beliefs

expect.set_options(timeout=PATIENCE)
# Beside other work a browser may not draw or answer in time, through no fault of the page: only then is a test run once
# more, and the closing lines name and count it. Whatever else is wrong fails at once.
AGAIN = pytest.mark.flaky(reruns=1, only_rerun=Waited)


HERE = Path(__file__).parent
WHILE_HERE = ExitStack()
LAUNCHED: list[Browser] = []  # one at most


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("browser")
            item.add_marker(AGAIN)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Let a test that has waited in vain tell where it did, and what its pages and the server believed."""
    try:
        return (yield)
    except Waited as error:
        steps = [one for one in extract_tb(error.__traceback__)[1:] if HERE in Path(one.filename).parents]
        error.add_note("waited in " + ", ".join(f"{one.name}:{one.lineno}" for one in steps))
        given: dict[str, object] = getattr(item, "funcargs", {})
        for page in [one for one in given.values() if isinstance(one, Page)]:
            error.add_note(beliefs(page))
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """End the browser after tests of this folder, and after the last of them was run again.

    While there is one, no test of this process can run an event loop.
    """
    try:
        return (yield)
    finally:
        if HERE in item.path.parents and (nextitem is None or HERE not in nextitem.path.parents):
            LAUNCHED.clear()
            WHILE_HERE.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser without tabs, shared by the files of this folder that follow each other."""
    if not any(one.is_connected() for one in LAUNCHED):
        WHILE_HERE.close()  # one that has crashed
        LAUNCHED[:] = [launched()]
    yield LAUNCHED[0]
    for context in LAUNCHED[0].contexts:
        context.close()


def launched() -> Browser:
    """Start a browser."""
    try:
        how = chromium()
    except NoBrowser as reason:
        pytest.skip(str(reason))
    browser = WHILE_HERE.enter_context(sync_playwright()).chromium.launch(**how)
    WHILE_HERE.callback(browser.close)
    return browser


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    with page_server("--workers", "1") as (_, url):
        yield url


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    """A new tab on the lobby; any error on the page fails the test."""
    yield from tab(experienced(browser, base_url=url, reduced_motion="reduce"))


@pytest.fixture
def newcomer(browser: Browser, url: str) -> Iterator[Page]:
    """The same of somebody who has never played here."""
    yield from tab(browser.new_context(base_url=url, reduced_motion="reduce"))


def tab(context: BrowserContext) -> Iterator[Page]:
    """Yield a tab on the lobby without pauses; any error on the page fails the test."""
    context.set_default_timeout(PATIENCE)
    context.add_init_script("if (!localStorage.getItem('pace')) localStorage.setItem('pace', '0')")
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if is_complaint(message) else None)
    page.goto("/")
    yield page
    context.close()
    assert complaints == []


def is_complaint(message: ConsoleMessage) -> bool:
    """Whether a console message is an error of the page; refused requests, which tests may intend, are not."""
    return message.type == "error" and not message.text.startswith("Failed to load resource")
