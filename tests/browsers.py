"""Three browser engines: Chromium by Playwright, which drives no others here, Debian's Firefox, and WebKitGTK."""

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from loadtest.server import free_port
from tests.parts import missing, require_program
from tools.lab.browser import NoBrowser, chromium

PATIENCE = 180  # seconds to wait for a browser

Run = Callable[[str], Any]  # runs the body of a function and returns its result
Call = Callable[..., Any]


def marionette(link: socket.socket) -> Call:
    """Connect to Firefox by its Marionette protocol: JSON over TCP, preceded by its length."""
    stream = link.makefile("rwb")

    def read() -> Any:
        length = b""
        while (one := stream.read(1)) != b":":
            assert one, "Firefox has ended"
            length += one
        return json.loads(stream.read(int(length)))

    def call(name: str, **fields: object) -> Any:
        message = json.dumps([0, 1, f"WebDriver:{name}", fields]).encode()
        stream.write(b"%d:%s" % (len(message), message))
        stream.flush()
        _, _, error, result = read()
        assert error is None, error
        return result

    read()  # reads the greeting
    return call


def webdriver(url: str) -> Call:
    """Connect by the W3C WebDriver protocol: JSON over HTTP."""

    def call(name: str, **fields: object) -> Any:
        request = urllib.request.Request(url + name, json.dumps(fields).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]

    return call


@contextmanager
def launched_chromium() -> Iterator[Browser]:
    """Yield a Chromium without tabs; no other event loop can run in this thread meanwhile."""
    try:
        options = chromium()
    except NoBrowser as reason:
        missing("Chromium", str(reason))
    with sync_playwright() as playwright, playwright.chromium.launch(**options) as browser:
        yield browser


@contextmanager
def open_chromium(_: Path, url: str) -> Iterator[Run]:
    """Open a page in Chromium."""
    with launched_chromium() as browser:
        page = browser.new_page()
        page.goto(url)
        yield lambda script: page.evaluate(f"() => {{ {script} }}")


@contextmanager
def open_firefox(profile: Path, url: str) -> Iterator[Run]:
    """Open a page in Firefox by its Marionette protocol."""
    port = free_port()
    (profile / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
    program = require_program("firefox-esr", "apt-get install firefox-esr")
    with running([program, "--headless", "--marionette", "--profile", str(profile)]), connected(port) as link:
        call = marionette(link)
        call("NewSession")
        call("Navigate", url=url)
        yield lambda script: call("ExecuteScript", script=script, args=[])["value"]


@contextmanager
def open_webkit(home: Path, url: str) -> Iterator[Run]:
    """Open a page in WebKitGTK, the engine of Safari, by WebDriver."""
    package = "apt-get install webkit2gtk-driver xvfb"
    driver, display = require_program("WebKitWebDriver", package), require_program("xvfb-run", package)
    browser = next(Path("/usr/lib").glob("*/webkit2gtk-*/MiniBrowser"), None) or missing("MiniBrowser", package)
    port = free_port()
    command = [display, "-a", driver, f"--port={port}", "--host=127.0.0.1"]
    with running(command, HOME=str(home), WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS="1"), connected(port):
        address = f"http://127.0.0.1:{port}/session"
        options = {"webkitgtk:browserOptions": {"binary": str(browser), "args": ["--automation"]}}
        session = webdriver(address)("", capabilities={"alwaysMatch": options})["sessionId"]
        call = webdriver(f"{address}/{session}/")
        call("url", url=url)
        yield lambda script: call("execute/sync", script=script, args=[])


OTHERS = {"firefox": open_firefox, "webkit": open_webkit}
BROWSERS = {"chromium": open_chromium, **OTHERS}


@contextmanager
def running(command: list[str], **variables: str) -> Iterator[None]:
    process = subprocess.Popen(
        command,
        env=os.environ | variables,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        os.killpg(process.pid, 15)
        process.wait()


@contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    """Yield a connection to a port as soon as it accepts one."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            link = socket.create_connection(("127.0.0.1", port), PATIENCE)
            break
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
    with link:
        yield link


def until(run: Run, script: str, seconds: float = PATIENCE) -> str:
    """Run a script until its result is not empty, and return the result."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := run(script):
            return str(found)
        time.sleep(0.05)
    raise TimeoutError(run("return document.body.innerText"))
