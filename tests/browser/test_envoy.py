"""The unchanged page behind Envoy, with TLS and HTTP/2: in front of the gateway."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from loadtest.server import free_port
from tests.browser.harness import new_game, open_tab, play_on
from tests.server.gateway.envoy import in_front
from tools.lab.browser import experienced, page_server


def test_the_page_works_unchanged(browser: Browser, envoy: str, tmp_path: Path) -> None:
    tls = free_port()
    with page_server("--workers", "1") as (_, url):
        gateway = int(url.rstrip("/").rpartition(":")[2])
        address = f"https://127.0.0.1:{tls}"
        with (
            in_front(envoy, tmp_path, {8080: gateway, 8443: tls}),
            open_tab(experienced(browser, base_url=address, ignore_https_errors=True)) as page,
        ):
            assert page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol") == "h2"
            new_game(page, "duel", ["me", "bot1"])
            assert play_on(page, 2) == 2
            page.get_by_label("Hints ?").select_option("table")
            expect(page.locator(".lines tbody tr").first).to_be_visible()
            page.goto("/#/game/AAAAAAAAAAAAAAAAAAAAAA")
            expect(page.get_by_role("alert")).to_contain_text("game")
