"""The client for TypeScript on a page of another site than the server's."""

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Browser

from loadtest.server import free_port
from tests.clients.node import ROOT, node
from tools.lab.browser import page_server

TYPESCRIPT = ROOT / "clients" / "typescript"
ENTRY = """
import { CallError, Client } from "./src/index.ts";
const attempts = [];
const counted = (...asked) => { attempts.push(String(asked[0])); return fetch(...asked); };
const ask = async (work) => {
  try { return { kind: "", answer: await work() }; }
  catch (error) { const { kind, reason, message } = CallError.from(error); return { kind, reason, message }; }
};
globalThis.calls = async (address) => {
  const client = new Client(address, { fetch: counted });
  const games = await ask(async () => (await client.rules.listGames({})).games.length);
  const wrong = games.kind ? {} : await ask(() => client.rules.startPosition({ game: "chess" }));
  return { games, wrong, attempts: attempts.length };
};
"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The origin of a site whose page has the client."""
    folder = tmp_path_factory.mktemp("site")
    contents = json.dumps({"contents": ENTRY, "loader": "js", "resolveDir": str(TYPESCRIPT)})
    script = f"""
        import {{ build }} from "esbuild";
        const outfile = {json.dumps(str(folder / "page.js"))};
        await build({{ stdin: {contents}, bundle: true, format: "esm", outfile }});
    """
    done = node("--input-type=module", "-e", script, folder=ROOT / "clients" / "web", name="node")
    assert done.returncode == 0, done.stderr
    (folder / "index.html").write_text('<!doctype html><script type="module" src="page.js"></script>')
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def calls(browser: Browser, site: str, address: str) -> dict[str, Any]:
    """Return what a page of the site gets from calls to a server."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(site)
        page.wait_for_function("globalThis.calls !== undefined")
        found: dict[str, Any] = page.evaluate("address => calls(address)", address)
        return found


def test_a_page_of_a_listed_origin_plays_and_reads_errors(browser: Browser, site: str) -> None:
    with page_server("--workers", "1", "--web-origin", site) as (_, url):
        found = calls(browser, site, url)
    assert (found["games"], found["wrong"]["reason"]) == ({"kind": "", "answer": 3}, "BAD_GAME")


def test_a_page_reports_at_once_that_its_browser_blocks_a_server(browser: Browser, site: str, url: str) -> None:
    found = calls(browser, site, url)
    assert found["games"]["kind"] == "blocked"
    assert found["games"]["message"].endswith(f"start it with --web-origin {site}")
    assert found["attempts"] == 3  # two calls, and the question whether there is a server


def test_an_address_without_a_server_is_reported(browser: Browser, site: str) -> None:
    found = calls(browser, site, f"http://127.0.0.1:{free_port()}")
    assert found["games"]["kind"] == "unavailable"
    assert found["attempts"] > 3
