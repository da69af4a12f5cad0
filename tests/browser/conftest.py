"""A real browser on the page of a real server."""

from collections.abc import Generator, Iterator
from pathlib import Path
from traceback import extract_tb

import pytest
from playwright.sync_api import Browser, Page
from playwright.sync_api import Error as PlaywrightError

from tests.browser.harness import beliefs, open_tab
from tests.browsers import launched_chromium
from tools.lab.browser import experienced, page_server

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("system")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Add to a failure the lines of this folder that led to it, and the state of each page and of the server."""
    try:
        return (yield)
    except (AssertionError, PlaywrightError) as error:
        steps = [step for step in extract_tb(error.__traceback__)[1:] if HERE in Path(step.filename).parents]
        error.add_note("failed in " + ", ".join(f"{step.name}:{step.lineno}" for step in steps))
        arguments: dict[str, object] = getattr(item, "funcargs", {})
        for name, page in arguments.items():
            if isinstance(page, Page):
                error.add_note(f"{name}: {beliefs(page)}")
        raise


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser without tabs. No other event loop can run while it does, so each module closes its own."""
    with launched_chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """The address of the page of a server that keeps its games in memory."""
    with page_server("--workers", "1") as (_, url):
        yield url


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    """A tab on the lobby, of a user who has played some games; any error on the page fails the test."""
    with open_tab(experienced(browser, base_url=url, reduced_motion="reduce")) as page:
        yield page


@pytest.fixture
def other(browser: Browser, url: str) -> Iterator[Page]:
    """The same in another browser profile: another person."""
    with open_tab(experienced(browser, base_url=url, reduced_motion="reduce")) as page:
        yield page


@pytest.fixture
def newcomer(browser: Browser, url: str) -> Iterator[Page]:
    """The same for a user who has never played here."""
    with open_tab(browser.new_context(base_url=url, reduced_motion="reduce")) as page:
        yield page
