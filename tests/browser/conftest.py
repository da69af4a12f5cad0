"""A real browser on the page of a real server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from lab.browser import NoBrowser, chromium, experienced, page_server
from tests.browser.harness import open_tab
from tests.parts import missing

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("system")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser without tabs. While it runs no other event loop can, so each module closes its own."""
    try:
        options = chromium()
    except NoBrowser as reason:
        missing("Chromium", str(reason))
    with sync_playwright() as playwright, playwright.chromium.launch(**options) as browser:
        yield browser


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """The address of the page of a server that keeps its games in memory."""
    with page_server("--workers", "1") as (_, url):
        yield url


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    """A tab on the lobby, of somebody who has played some games; any error on the page fails the test."""
    with open_tab(experienced(browser, base_url=url, reduced_motion="reduce")) as page:
        yield page


@pytest.fixture
def other(browser: Browser, url: str) -> Iterator[Page]:
    """The same in another browser profile: another person."""
    with open_tab(experienced(browser, base_url=url, reduced_motion="reduce")) as page:
        yield page


@pytest.fixture
def newcomer(browser: Browser, url: str) -> Iterator[Page]:
    """The same of somebody who has never played here."""
    with open_tab(browser.new_context(base_url=url, reduced_motion="reduce")) as page:
        yield page
