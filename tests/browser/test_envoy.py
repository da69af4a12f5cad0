"""The unchanged page behind Envoy, with TLS and HTTP/2: in front of the door."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from lab.browser import experienced, page_server
from lab.load.server import free_port
from tests.browser.harness import PATIENCE, new_game, play_on
from tests.door.envoy import in_front


def test_the_page_works_unchanged(browser: Browser, envoy: str, tmp_path: Path) -> None:
    tls = free_port()
    with page_server("--workers", "1") as (_, url):
        door = int(url.rstrip("/").rpartition(":")[2])
        with in_front(envoy, tmp_path, {8080: door, 8443: tls}):
            context = experienced(browser, base_url=f"https://127.0.0.1:{tls}", ignore_https_errors=True)
            page = context.new_page()
            page.goto("/")
            protocols = page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol")
            new_game(page, "duel", ["me", "bot1"])
            assert play_on(page, lambda offered: offered[0], 2) == 2
            page.get_by_label("Hints ?").select_option("table")
            expect(page.locator(".lines tbody tr").first).to_be_visible(timeout=PATIENCE)
            page.goto("/#/game/AAAAAAAAAAAAAAAAAAAAAA")
            expect(page.get_by_role("alert")).to_contain_text("game", timeout=PATIENCE)
            context.close()
    assert protocols == "h2"
