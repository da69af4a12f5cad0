"""The page that plays without a server, from a host of files, with and without a network."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.axe import violations
from tests.browser.harness import OFFERED, begin, errors_of, play_on, settled, version_of, wait_for_change
from tests.clients.node import ROOT
from tests.parts import missing
from tools.lab.browser import experienced, static_server

SITE = ROOT / "build" / "site"
LANGUAGES = ["en", "de", "it", "es", "fr", "he"]
ICONS = {("any", "any"), ("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")}
DRAWN = """async address => {
    const picture = new Image();
    picture.src = address;
    await picture.decode();
    const context = Object.assign(document.createElement("canvas"), { width: 100, height: 100 }).getContext("2d");
    context.drawImage(picture, 0, 0, 100, 100);
    const pixel = (x, y) => [...context.getImageData(x, y, 1, 1).data];
    return { size: picture.naturalWidth, corner: pixel(0, 0), wall: pixel(33, 65), door: pixel(50, 70) };
}"""


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A user of the page on a host of files, in a subfolder."""
    if not (SITE / "sw.js").is_file():
        missing("the page that plays without a server", "make site")
    with (
        static_server(SITE.parent) as url,
        experienced(browser, base_url=f"{url}/site/", reduced_motion="reduce") as context,
    ):
        context.set_default_timeout(180_000)
        context.add_init_script("localStorage.pace ??= '0'; localStorage['round-card'] ??= '0'")
        yield context


def visit(context: BrowserContext) -> tuple[Page, list[str]]:
    """Return a tab on the lobby whose files are all kept, and the list of its errors."""
    page = context.new_page()
    errors = errors_of(page)
    page.goto("./")
    page.evaluate("navigator.serviceWorker.ready")
    return page, errors


def start(page: Page, game: str, holders: list[str]) -> str:
    page.get_by_label({"cathedral": "The Pillars of the Earth", "duel": "Builders Duel"}[game]).check()
    page.get_by_label(f"{len(holders)} players").check()
    for colour, holder in zip(("Red", "Blue", "Green", "Yellow"), holders, strict=False):
        page.get_by_label(colour, exact=True).select_option(holder)
    return begin(page)


def test_a_duel_is_played_to_its_end_without_a_network(context: BrowserContext) -> None:
    page, errors = visit(context)
    context.set_offline(True)
    game = start(page, "duel", ["me", "bot1"])
    play_on(page, 8)
    assert settled(page)
    version = version_of(page)
    page.reload()
    assert settled(page)
    assert int(version_of(page)) >= int(version)
    play_on(page)
    expect(page.get_by_test_id("winner")).to_be_visible()
    expect(page.locator(".scores")).to_be_visible()
    page.get_by_role("link", name="New game").click()
    expect(page.locator(f"a[href='#/game/{game}']")).to_be_visible()
    assert errors == []


def test_hints_and_taking_back_work_without_a_network(context: BrowserContext) -> None:
    page, errors = visit(context)
    context.set_offline(True)
    page.get_by_text("More options").click()
    page.get_by_label("Taking back").select_option("Everything")
    start(page, "cathedral", ["me", "bot2", "bot1"])
    page.locator("#hints").select_option("table")
    expect(page.locator(".lines tbody tr").first).to_be_visible()
    page.locator("#hints").select_option("off")
    _, offered, _ = page.evaluate(OFFERED)
    play_on(page, 1)
    assert settled(page)
    version = version_of(page)
    page.keyboard.press("u")
    wait_for_change(page, version)
    assert settled(page)
    assert page.evaluate(OFFERED)[1] == offered
    assert errors == []


def test_the_lobby_says_what_needs_a_server_in_every_language(context: BrowserContext) -> None:
    page, errors = visit(context)
    seen = set()
    for language in LANGUAGES:
        page.evaluate("language => localStorage.setItem('language', language)", language)
        page.reload()
        page.locator(f"html[lang={language}] form.new").wait_for()
        seen.add(page.locator(".welcome .muted").text_content())
    assert len(seen) == len(LANGUAGES)
    assert violations(page) == []
    assert errors == []


def test_the_page_can_be_installed(context: BrowserContext) -> None:
    page, _ = visit(context)
    manifest = page.request.get("manifest.webmanifest").json()
    assert manifest["display"] == "standalone"
    assert {(icon["sizes"], icon["purpose"]) for icon in manifest["icons"]} == ICONS
    for icon in manifest["icons"]:
        drawn = page.evaluate(DRAWN, icon["src"])
        assert icon["sizes"] in ("any", f"{drawn['size']}x{drawn['size']}")
        assert [drawn[place] for place in ("wall", "door")] == [[246, 231, 180, 255], [35, 65, 92, 255]]
        assert drawn["corner"] == ([35, 65, 92, 255] if icon["purpose"] == "maskable" else [0, 0, 0, 0])
    faults = context.new_cdp_session(page).send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert {fault["errorId"] for fault in faults} <= {"in-incognito"}, faults
    kept = page.evaluate("caches.keys().then(names => caches.open(names[0])).then(c => c.keys()).then(k => k.length)")
    assert kept == sum(1 for path in SITE.rglob("*") if path.is_file() and path.name != "sw.js")
