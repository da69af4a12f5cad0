"""Plays a game as a stranger would, and measures what stood in the way: scrolling, empty decisions, movement, bytes.

    python -m tools.lab.stranger [--game cathedral] [--width 1366] [--height 768] [--moves 60] [--json]

The stranger has never played here, so explanations and questions about costly moves are on. Moves are chosen at random
by a seed. Nothing is scrolled: an action that is not in sight is counted, and pressed all the same. Long tasks are
measured by the CPU time of the page's main thread, which other programs on the machine hardly change.
"""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import typer
from playwright.sync_api import Browser, Page, sync_playwright

from tools.lab.browser import chromium, page_server

PATIENCE_MS = 120_000
LONG_TASK_MS = 50
FRESH_TABLE_MS = 3_000  # after its opening; long tasks are counted from the lobby until then
TASK, MAIN_THREAD = "ThreadControllerImpl::RunTask", "CrRendererMain"  # as a trace of Chromium names them
OBSERVE = """(() => {
    const seen = window.seen = { shift: 0, largest: 0, moved: {} };
    const nameOf = node => node?.getAttribute?.('class') || node?.nodeName || 'removed';
    new PerformanceObserver(list => list.getEntries().filter(one => !one.hadRecentInput).forEach(one => {
        const { value } = one, name = nameOf(one.sources[0]?.node);
        seen.moved[name] = (seen.moved[name] ?? 0) + value;
        seen.shift += value;
        seen.largest = Math.max(seen.largest, value);
    })).observe({ type: 'layout-shift', buffered: true });
})()"""
READY = """() => document.querySelector('[data-testid=winner]') ? 'over'
    : document.querySelector('.round-end button') ? 'card'
    : document.querySelector('.status.mine') && !document.querySelector('[data-fresh]')
        && document.querySelector(".action:not([aria-disabled='true']), .planning .action") ? 'mine' : ''"""
# Each action, and whether its middle can be pressed where it lies.
OFFERED = """() => [...document.querySelectorAll('.action')].map(one => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return [one.dataset.action, one.contains(there) && top >= 0 && bottom <= innerHeight];
})"""
SHOWN = """() => ({
    taller: document.documentElement.scrollHeight - innerHeight,
    scrolled: scrollY,
    cut: [...document.querySelectorAll('.middle, .seat, .list')]
        .filter(one => one.scrollHeight > one.clientHeight + 1).map(one => one.className),
    version: document.querySelector('[data-version]').dataset.version,
})"""
# Goods that must be returned are planned first.
PLAN = """() => {
    if (!document.querySelector(".planning .action[aria-disabled='true']")) return true;
    document.querySelector(".planning .stepper button:nth-of-type(2):not([aria-disabled='true'])")?.click();
    return false;
}"""
PRESS = """action => document.querySelector(`.action[data-action="${action}"]`).click()"""
CONFIRM = """before => {
    if (document.querySelector('[data-version]').dataset.version !== before) return true;
    document.querySelector('.notice.asking button')?.click();
    return false;
}"""
ROUND_OVER = "document.querySelector('.round-end button')?.click()"


class Session:
    """Counts of one game in one tab."""

    def __init__(self, browser: Browser, page: Page) -> None:
        self.browser = browser
        self.page = page
        self.found: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()
        self._urls: dict[str, str] = {}
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")
        network.on("Network.requestWillBeSent", self._begin)
        network.on("Network.dataReceived", self._receive)
        page.add_init_script(OBSERVE)
        browser.start_tracing(page=page, categories=["toplevel"])

    def _begin(self, event: dict[str, Any]) -> None:
        self._urls[event["requestId"]] = event["request"]["url"]

    def _receive(self, event: dict[str, Any]) -> None:
        name = self._urls.get(event["requestId"], "").rpartition("/")[2]
        kind = name if name.isalpha() else "files"
        self.bytes[kind] += event.get("encodedDataLength") or event["dataLength"]

    def play(self, moves: int, choice: Random) -> None:
        """Play some moves, or to the end."""
        while self.found["moves"] < moves and self._ready() == "mine":
            self._decide(choice)

    def _ready(self) -> str:
        """Wait for a decision or the end; close the card of a round on the way."""
        while True:
            found = str(self.page.wait_for_function(READY, polling=20, timeout=PATIENCE_MS).json_value())
            if found != "card":
                return found
            self.page.evaluate(ROUND_OVER)

    def _decide(self, choice: Random) -> None:
        offered, shown = self.page.evaluate(OFFERED), self.page.evaluate(SHOWN)
        if not offered:
            return
        action, in_sight = choice.choice(offered)
        self.found["moves"] += 1
        self.found["moves out of sight"] += not in_sight
        self.found["decisions with actions out of sight"] += not all(sight for _, sight in offered)
        self.found["decisions on a page taller than the window"] += shown["taller"] > 0
        self.found["decisions with a part cut"] += bool(shown["cut"])
        self.found["decisions with one answer"] += len(offered) == 1 and action != "finish"
        self.page.wait_for_function(PLAN, polling=200, timeout=PATIENCE_MS)
        self.page.evaluate(PRESS, action)
        self.page.wait_for_function(CONFIRM, arg=shown["version"], polling=20, timeout=PATIENCE_MS)

    def opened(self) -> None:
        """Note how a fresh table looks and what it cost to draw."""
        self._ready()
        self.page.wait_for_timeout(FRESH_TABLE_MS)
        tasks = tasks_of(self.browser.stop_tracing())
        self.found["long tasks on a fresh table"] = sum(task > LONG_TASK_MS for task in tasks)
        self.found["longest task on a fresh table, ms"] = round(max(tasks))
        self.found["scrolled at the opening, px"] = self.page.evaluate(SHOWN)["scrolled"]

    def result(self) -> dict[str, Any]:
        """Return everything that was measured."""
        seen = self.page.evaluate("seen")
        return {
            **self.found,
            "layout shift without input": round(seen["shift"], 3),
            "largest layout shift": round(seen["largest"], 3),
            "layout shift by the first element": largest(seen["moved"]),
            "bytes": sum(self.bytes.values()),
            "bytes by call": dict(self.bytes.most_common(6)),
        }


def tasks_of(trace: bytes) -> list[float]:
    """Return the CPU time in milliseconds of each task of the main threads of pages in a trace."""
    events = json.loads(trace)["traceEvents"]
    threads = {(one["pid"], one["tid"]): one["args"]["name"] for one in events if one["name"] == "thread_name"}
    tasks = [one for one in events if one["name"] == TASK and threads[one["pid"], one["tid"]] == MAIN_THREAD]
    return [one.get("tdur", 0) / 1000 for one in tasks]


def largest(shifts: dict[str, float]) -> dict[str, float]:
    """Return the largest four shifts by element."""
    return {name: round(shifts[name], 3) for name in sorted(shifts, key=lambda name: -shifts[name])[:4]}


@contextmanager
def stranger(width: int, height: int) -> Iterator[Session]:
    """Yield the session of a newcomer in the lobby of a new server."""
    with page_server("--workers", "1") as (_, url), sync_playwright() as playwright:
        browser = playwright.chromium.launch(**chromium())
        page = browser.new_context(base_url=url, viewport={"width": width, "height": height}).new_page()
        session = Session(browser, page)
        page.goto("/")
        yield session


def main(
    game: str = "cathedral",
    width: int = 1366,
    height: int = 768,
    moves: int = 60,
    seed: int = 1,
    as_json: bool = typer.Option(False, "--json"),
) -> None:
    """Play and print what was found."""
    with stranger(width, height) as session:
        name = "Play now" if game == "cathedral" else "Or the card game for two"
        session.page.get_by_role("button", name=name).click()
        session.page.wait_for_url("**/#/game/*")
        session.opened()
        session.play(moves, Random(seed))
        found = session.result()
    typer.echo(json.dumps(found) if as_json else "\n".join(f"{name:45} {value}" for name, value in found.items()))


if __name__ == "__main__":
    typer.run(main)
