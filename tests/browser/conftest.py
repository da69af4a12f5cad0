"""A real browser, and a server with its page: what a person would have before him."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "clients" / "web" / "browser"
ARGUMENTS = ["--no-sandbox", "--disable-gpu"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


def own_path() -> str:
    return os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))


def of_the_distribution() -> dict[str, Any] | None:
    """How to start the Chromium that is installed, None where none is."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    return None if found is None else {"executable_path": found, "args": ARGUMENTS}


def of_the_registry() -> dict[str, Any]:
    """How to start the Chromium that npm brings; it is installed and unpacked where it is not there yet."""
    tools = {name: shutil.which(name, path=own_path()) for name in ("node", "npm")}
    if None in tools.values():
        pytest.skip("no Chromium is installed, and there is no npm to bring one")
    unpacked = FOLDER / "node_modules" / ".chromium"
    unpacked.parent.mkdir(exist_ok=True)
    environment = os.environ | {
        "PATH": own_path(),
        "TMPDIR": str(unpacked),
        "AWS_EXECUTION_ENV": "AWS_Lambda_nodejs22.x",
    }
    with FileLock(FOLDER / "node_modules" / ".lock"):
        if not (FOLDER / "node_modules" / "@sparticuz").exists():
            install = [tools["npm"], "install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]
            done = subprocess.run(install, cwd=FOLDER, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                pytest.skip(f"no Chromium is installed, and npm brings none: {done.stderr.strip()[-200:]}")
        unpacked.mkdir(exist_ok=True)
        said = subprocess.run(
            [tools["node"], "chromium.mjs"], cwd=FOLDER, env=environment, capture_output=True, check=True
        )
    found = json.loads(said.stdout)
    libraries = os.environ | {"LD_LIBRARY_PATH": found["libraries"]}
    return {"executable_path": found["path"], "args": ARGUMENTS, "env": libraries}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    how = of_the_distribution() or of_the_registry()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**how)
        yield browser
        browser.close()


def is_complaint(message: ConsoleMessage) -> bool:
    """Whether the page complains; that a request was refused, which a test may want, is the browser's own word."""
    return message.type == "error" and not message.text.startswith("Failed to load resource")


@contextmanager
def page_server(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yield a server, and where its page is."""
    command = [sys.executable, "-m", "clerestory", "serve", "--listen", "127.0.0.1:0", "--log-level", "warning"]
    if "--store" not in options:
        options = ("--store", "memory:", *options)
    if "--web" not in options:
        options = ("--web", "127.0.0.1:0", *options)
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, page_of(process)
        finally:
            process.terminate()


def page_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"page at (http://\S+/)", line):
            return found[1]
    raise AssertionError("the server has ended")


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    with page_server("--workers", "1") as (_, url):
        yield url


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    """A tab of its own on the lobby; whatever the page complains of fails the test."""
    context = browser.new_context(base_url=url, reduced_motion="reduce")
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if is_complaint(message) else None)
    page.goto("/")
    yield page
    context.close()
    assert complaints == []
