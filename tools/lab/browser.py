"""A real browser and a server with its page, for tests, pictures and measurements."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import IO, Any

from filelock import FileLock
from playwright.sync_api import Browser, BrowserContext, Page

FOLDER = Path(__file__).parents[2] / "clients" / "web" / "browser"
VARIABLE = "CLERESTORY_BROWSER"  # path of a Chromium to use instead of the pinned one
ARGUMENTS = ["--no-sandbox", "--disable-gpu"]
LAUNCH_TIMEOUT = 300_000  # milliseconds; no test may fail because the machine is slow
FAST = "200"  # milliseconds per move of a bot, as offered by the lobby
INSTALL = ("install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund")


class NoBrowser(Exception):
    """The pinned Chromium cannot be installed; the message says why."""


def chromium() -> dict[str, Any]:
    """Return Playwright's launch options for the Chromium pinned by clients/web/browser, regardless of other installs.

    `CLERESTORY_BROWSER=/path` selects another one. Raises NoBrowser.
    """
    if path := os.environ.get(VARIABLE):
        return {"executable_path": path, "args": ARGUMENTS, "timeout": LAUNCH_TIMEOUT}
    with FileLock(FOLDER / ".lock"):
        unpacked = unpack()
    libraries = os.environ | {"LD_LIBRARY_PATH": unpacked["libraries"]}
    return {"executable_path": unpacked["path"], "args": ARGUMENTS, "env": libraries, "timeout": LAUNCH_TIMEOUT}


def unpack() -> dict[str, str]:
    """Return the path of the Chromium from npm; install and unpack it if necessary. Raises NoBrowser."""
    modules = FOLDER / "node_modules"
    if not (modules / "@sparticuz").exists():
        run("npm", *INSTALL)
    unpacked = modules / ".chromium"
    unpacked.mkdir(exist_ok=True)
    output = run("node", "chromium.mjs", TMPDIR=str(unpacked), AWS_EXECUTION_ENV="AWS_Lambda_nodejs22.x")
    found: dict[str, str] = json.loads(output)
    return found


def run(name: str, *arguments: str, **variables: str) -> str:
    """Return the output of a Node program. Raises NoBrowser if it is missing or fails."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    program = shutil.which(name, path=path)
    if program is None:
        raise NoBrowser(f"there is no {name} to install it; `make .venv/.web` installs Node")
    environment = os.environ | {"PATH": path} | variables
    done = subprocess.run(
        [program, *arguments], cwd=FOLDER, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NoBrowser(f"{name} in {FOLDER} failed: {done.stderr.strip()[-200:]}")
    return done.stdout


def experienced(browser: Browser, **options: Any) -> BrowserContext:
    """Return a context of a user who has played some games, and gets no help for newcomers.

    Args:
        browser: the browser.
        options: options of the context.
    """
    context = browser.new_context(**options)
    context.add_init_script("localStorage.setItem('games-over', JSON.stringify(['1', '2', '3']))")
    return context


def choose_game(page: Page, game: str, holders: list[str]) -> None:
    """Fill in the form for a new game."""
    page.get_by_label({"cathedral": "The Pillars of the Earth", "duel": "Builders Duel"}[game]).check()
    page.get_by_label(f"{len(holders)} players").check()
    for colour, holder in zip(("Red", "Blue", "Green", "Yellow"), holders, strict=False):
        page.get_by_label(colour, exact=True).select_option(holder)
    if any(re.fullmatch(r"bot\d", holder) for holder in holders):
        page.locator(".opponents label").first.wait_for()  # bots have no names before the opponents appear
    page.get_by_text("More options").click()
    page.get_by_label("A bot's time per move").select_option(FAST)


@contextmanager
def page_server(*options: str, log: IO[str] | None = None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yield a server and the address of its page; by default it keeps games in memory, and logs like this process."""
    command = [sys.executable, "-m", "clerestory", "serve", "--listen", "127.0.0.1:0", "--log-level", "warning"]
    for option, usual in (("--store", "memory:"), ("--web", "127.0.0.1:0")):
        if option not in options:
            options = (option, usual, *options)
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, stderr=log, text=True) as process:
        try:
            yield process, page_of(process)
        finally:
            process.terminate()


def page_of(process: subprocess.Popen[str]) -> str:
    """Return the address of the page of a server or a gateway, once it answers."""
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"page at (http://\S+/)", line):
            return found[1]
    raise RuntimeError("the server has ended")


@contextmanager
def static_server(folder: Path) -> Iterator[str]:
    """Yield the address of a server for the files in a folder, without a slash at its end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SilentHandler, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


class SilentHandler(SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *_: Any) -> None:
        """Log nothing."""
