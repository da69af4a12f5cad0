"""The browsers that Playwright does not drive here: Debian's Firefox by Marionette, WebKitGTK by WebDriver."""

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, cast

from lab.load.server import free_port

PATIENCE = 60  # seconds until a browser answers for the first time


class NotInstalled(Exception):
    """There is no such browser; the message names its packages."""


class Tab(ABC):
    """A tab of a browser."""

    @abstractmethod
    def go(self, url: str) -> None:
        """Open an address."""

    @abstractmethod
    def run(self, script: str) -> Any:
        """Return what a script returns, which is the body of a function."""


class Marionette(Tab):
    """Firefox's own protocol: JSON with its length before it, over TCP."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link.makefile("rwb")
        self._read()  # it greets
        self._call("WebDriver:NewSession")

    def go(self, url: str) -> None:
        self._call("WebDriver:Navigate", url=url)

    def run(self, script: str) -> Any:
        return self._call("WebDriver:ExecuteScript", script=script, args=[])["value"]

    def _call(self, name: str, **fields: object) -> Any:
        message = json.dumps([0, 1, name, fields]).encode()
        self._link.write(b"%d:%s" % (len(message), message))
        self._link.flush()
        _, _, error, result = self._read()
        assert error is None, error
        return result

    def _read(self) -> Any:
        length = b""
        while (one := self._link.read(1)) != b":":
            assert one, "Firefox has ended"
            length += one
        return json.loads(self._link.read(int(length)))


class WebDriver(Tab):
    """The protocol of the W3C: JSON over HTTP."""

    def __init__(self, url: str, wanted: dict[str, object]) -> None:
        self._url = url
        session = self._call("session", capabilities={"alwaysMatch": wanted})["sessionId"]
        self._url += f"session/{session}/"

    def go(self, url: str) -> None:
        self._call("url", url=url)

    def run(self, script: str) -> Any:
        return self._call("execute/sync", script=script, args=[])

    def _call(self, name: str, **fields: object) -> Any:
        request = urllib.request.Request(self._url + name, json.dumps(fields).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]


@contextmanager
def firefox(profile: Path) -> Iterator[Tab]:
    """Yield a tab of Firefox with a new profile. Raises NotInstalled."""
    port = free_port()
    (profile / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
    command = [program("firefox-esr", "firefox-esr"), "--headless", "--marionette", "--profile", str(profile)]
    with running(command), connected(port) as link:
        yield Marionette(link)


@contextmanager
def webkit(home: Path) -> Iterator[Tab]:
    """Yield a tab of WebKitGTK on a display of its own. Raises NotInstalled."""
    driver = program("WebKitWebDriver", "webkit2gtk-driver")
    browser = next(Path("/usr/lib").glob("*/webkit2gtk-*/MiniBrowser"), None)
    if browser is None:
        raise NotInstalled("there is no MiniBrowser: webkit2gtk-driver")
    port = free_port()
    command = [program("xvfb-run", "xvfb"), "-a", driver, f"--port={port}", "--host=127.0.0.1"]
    with running(command, HOME=str(home), WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS="1"), connected(port):
        options = {"binary": str(browser), "args": ["--automation"]}
        yield WebDriver(f"http://127.0.0.1:{port}/", {"webkitgtk:browserOptions": options})


ENGINES = {"firefox": firefox, "webkit": webkit}


def program(name: str, package: str) -> str:
    """Return the path of a program. Raises NotInstalled."""
    path = shutil.which(name)
    if path is None:
        raise NotInstalled(f"there is no {name}: package {package}")
    return path


@contextmanager
def running(command: list[str], **variables: str) -> Iterator[None]:
    """Run a program with all its children."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, env=os.environ | variables, start_new_session=True, **cast(Any, quiet))
    try:
        yield
    finally:
        os.killpg(process.pid, 15)
        process.wait()


@contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    """Yield a connection to a port as soon as somebody listens there."""
    end = time.monotonic() + PATIENCE
    with ExitStack() as stack:
        while True:
            try:
                link = socket.create_connection(("127.0.0.1", port), PATIENCE)
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)
        yield stack.enter_context(link)
