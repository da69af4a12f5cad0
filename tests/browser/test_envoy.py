"""The unchanged page behind Envoy, with TLS and HTTP/2: in front of the door."""

import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme
from playwright.sync_api import Browser, expect

from tests.browser.harness import PATIENCE, new_game, play_on
from tools.browser import page_server
from tools.page import free_port

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "envoy-web.yaml"


@pytest.fixture
def envoy() -> str:
    found = shutil.which("envoy", path=Path(sys.executable).parent) or shutil.which("envoy")
    if found is None:
        pytest.skip("envoy is not here; `make .venv/.load` installs it")
    return found


@contextmanager
def in_front(envoy: str, folder: Path, ports: dict[str, int]) -> Iterator[None]:
    """Run the Envoy of deploy/, with ports that are free here and a certificate of its own."""
    issued = trustme.CA().issue_cert("127.0.0.1")
    issued.private_key_pem.write_to_path(folder / "server.key")
    issued.cert_chain_pems[0].write_to_path(folder / "server.pem")
    text = CONFIGURATION.read_text()
    for usual, port in ports.items():
        text = text.replace(f"port_value: {usual}", f"port_value: {port}")
    (folder / "envoy.yaml").write_text(text)
    command = [envoy, "-c", "envoy.yaml", "--log-level", "error", "--concurrency", "1", "--use-dynamic-base-id"]
    with subprocess.Popen(command, cwd=folder) as child:
        try:
            wait_for_tls(ports["8443"])
            yield
        finally:
            child.terminate()


def wait_for_tls(port: int) -> None:
    """Wait until Envoy listens; if it never does, the test fails by its timeout."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port)) as raw, context.wrap_socket(raw):
                return
        except OSError:
            time.sleep(0.05)


def test_the_page_works_unchanged(browser: Browser, envoy: str, tmp_path: Path) -> None:
    tls = free_port()
    with page_server("--workers", "1") as (_, url):
        door = int(url.rstrip("/").rpartition(":")[2])
        with in_front(envoy, tmp_path, {"8080": door, "8443": tls}):
            context = browser.new_context(base_url=f"https://127.0.0.1:{tls}", ignore_https_errors=True)
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
