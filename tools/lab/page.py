"""Pictures of the page for docs/, and figures of its speed, from a real browser.

python -m tools.lab.page pictures            # docs/pictures/page-*.png
python -m tools.lab.page figures [--json]    # first load, gateway, first hint, clicks
"""

import gzip
import json
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

import grpc
import typer
from playwright.sync_api import Page, Response, expect, sync_playwright

from clerestory.clients import Advisor
from clerestory.clients.wire import position_message
from clerestory.v1.rules_pb2 import AnyPosition, ListActionsRequest
from loadtest.server import free_port
from tools.lab.browser import choose_game, chromium, experienced, page_server

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
POSITION = (ROOT / "examples" / "positions" / "cathedral-3p-round4-draft.json").read_text()
LIST = "/clerestory.v1.RulesService/ListActions"
LEVELS = 8  # opponents
CALLS, HINTS, GAMES, CLICKS, OTHERS = 400, 20, 3, 20, 3
ASKED = "box.value = 'table'; box.dispatchEvent(new Event('change', {bubbles: true}))"
TABLE_IS_THERE = "document.querySelector('.lines tbody tr')"
CLICKABLE = ".actions:not([data-fresh]) .action:not([aria-disabled='true'])"  # new actions accept no clicks
PRESSED = f'document.querySelector("{CLICKABLE}").click()'
MOVE_IS_SHOWN = "document.querySelector('[data-version]').dataset.version !== version"
TIMED = """() => new Promise((resolve, reject) => {
  const box = document.querySelector('#hints'), version = document.querySelector('[data-version]').dataset.version;
  const began = performance.now();
  const look = () => {
    const passed = performance.now() - began;
    if (%(shown)s) resolve(passed);
    else if (passed > 20000) reject([...document.querySelectorAll('[role=alert]')].map(one => one.innerText).join());
    else requestAnimationFrame(look);
  };
  %(begin)s;
  look();
})"""

app = typer.Typer(add_completion=False)


@app.command()
def pictures() -> None:
    """Take the pictures of docs/."""
    with browsed({"width": 1280, "height": 860}) as (page, _):
        expect(page.locator(".rivals .face")).to_have_count(LEVELS)
        expect(page.locator("svg.hero")).to_be_visible()
        picture(page, "page-lobby")
        begin(page, "cathedral", ["me", "bot4", "bot8"])
        page.get_by_label("Hints ?").select_option("move")
        expect(page.locator(".hint-move")).to_be_visible(timeout=30_000)
        picture(page, "page-game")
        page.get_by_label("Hints ?").select_option("table")
        expect(page.locator(".reason")).to_be_visible(timeout=30_000)
        page.locator(".lines tbody button").first.hover()
        expect(page.locator(".ghost")).to_be_visible()
        picture(page, "page-hints")
        page.mouse.move(0, 0)
        page.set_viewport_size({"width": 390, "height": 780})
        picture(page, "page-phone")
    with browsed({"width": 1280, "height": 860}, "dark") as (page, _):
        page.get_by_text("Import a record or a position").click()
        page.locator("input[type=file]").set_input_files(ROOT / "examples" / "records" / "duel-2p.jsonl")
        expect(page.locator(".steps")).to_contain_text("0 / ")
        page.locator(".log li button").nth(115).click()  # which card to use first; there are no hints before, at chance
        page.get_by_label("Hints ?").select_option("table")
        page.wait_for_timeout(6000)
        picture(page, "page-study")
    with browsed({"width": 1366, "height": 860}) as (page, _):
        page.get_by_text("Import a record or a position").click()
        page.locator("input[type=file]").set_input_files(ROOT / "examples" / "records" / "cathedral-3p.jsonl")
        page.get_by_role("button", name="Review this game").click()
        page.locator(".worst button").nth(1).click(timeout=120_000)
        picture(page, "page-review")


@app.command()
def figures(as_json: bool = typer.Option(False, "--json")) -> None:
    """Measure the page."""
    found = {"first_load_bytes": first_load(), **gateway(), **screen()}
    typer.echo(json.dumps(found) if as_json else "\n".join(f"{name:24} {value}" for name, value in found.items()))


@contextmanager
def browsed(size: Any, scheme: Any = "light", *options: str) -> Iterator[tuple[Page, str]]:
    """Yield a tab that shows the lobby of a server, and its address."""
    with ExitStack() as stack:
        _, url = stack.enter_context(page_server(*options))
        playwright = stack.enter_context(sync_playwright())
        browser = stack.enter_context(playwright.chromium.launch(**chromium()))
        page = experienced(browser, base_url=url, viewport=size, color_scheme=scheme).new_page()
        page.goto("/")
        yield page, url


def begin(page: Page, game: str, holders: list[str]) -> None:
    """Start a game, and wait for the user's turn."""
    choose_game(page, game, holders)
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".status.mine")).to_be_visible(timeout=30_000)


def picture(page: Page, name: str) -> None:
    """Take a picture of the screen."""
    page.wait_for_timeout(300)
    page.screenshot(path=PICTURES / f"{name}.png")


def first_load() -> int:
    """Return the compressed bytes that a browser loads before the lobby is shown."""
    with browsed({"width": 1280, "height": 860}) as (page, url):
        answers: list[Response] = []
        page.wait_for_load_state("networkidle")  # excludes the first visit
        page.on("response", lambda answer: answers.append(answer))  # Playwright sets attributes on the given function
        page.goto(f"{url}?again")
        page.wait_for_load_state("networkidle")
        loaded = [len(gzip.compress(answer.body())) for answer in answers if is_file(answer.url)]
    return sum(loaded)


def is_file(url: str) -> bool:
    """Whether an address belongs to a file of the page."""
    return "clerestory.v1" not in url


def gateway() -> dict[str, float]:
    """Return the times of a call over gRPC and through the gateway, in milliseconds, measured alternately."""
    request = ListActionsRequest(position=AnyPosition(position=position_message(POSITION))).SerializeToString()
    target = f"127.0.0.1:{free_port()}"
    with page_server("--listen", target) as (_, url), grpc.insecure_channel(target) as channel:
        call: Any = channel.unary_unary(LIST)
        address = urlsplit(url)
        http = HTTPConnection(str(address.hostname), address.port)
        over_grpc, by_the_gateway = zip(
            *((timed(lambda: call(request)), timed(lambda: post(http, request))) for _ in range(CALLS)), strict=True
        )
    ours, theirs = statistics.median(by_the_gateway), statistics.median(over_grpc)
    return {"grpc_p50_ms": round(theirs, 2), "door_p50_ms": round(ours, 2), "door_adds_p50_ms": round(ours - theirs, 2)}


def timed(call: Callable[[], object]) -> float:
    """Return the milliseconds of a call."""
    began = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - began)


def post(http: HTTPConnection, message: bytes) -> bytes:
    """Return the answer to a call by the Connect protocol."""
    http.request("POST", LIST, message, {"content-type": "application/proto"})
    return http.getresponse().read()


def screen() -> dict[str, float]:
    """Return the milliseconds until a click and a request for a hint show on the screen, with a busy server."""
    target = f"127.0.0.1:{free_port()}"
    with browsed({"width": 1280, "height": 860}, "light", "--listen", target) as (page, _), busy(target):
        begin(page, "duel", ["me", "bot1"])
        hints = [hinted(page) for _ in range(HINTS)]
        clicks = [clicked(page) for _ in range(CLICKS)]
        for _ in range(GAMES - 1):  # a game may end after about fifty
            page.get_by_role("link", name="Lobby").click()
            begin(page, "duel", ["me", "bot1"])
            clicks += [clicked(page) for _ in range(CLICKS)]
    return {
        "first_hint_p50_ms": round(statistics.median(hints), 1),
        "first_hint_max_ms": round(max(hints), 1),
        "click_p50_ms": round(statistics.median(clicks), 1),
        "click_p95_ms": round(statistics.quantiles(clicks, n=20)[-1], 1),
    }


def hinted(page: Page) -> float:
    """Return the milliseconds from requesting a full hint to the first table on the screen."""
    page.get_by_label("Hints ?").select_option("off")
    expect(page.locator(".lines")).to_have_count(0)
    found = until_shown(page, ASKED, TABLE_IS_THERE)
    page.get_by_label("Hints ?").select_option("off")
    return found


def clicked(page: Page) -> float:
    """Return the milliseconds from clicking the first action to its result on the screen."""
    expect(page.locator(".status.mine")).to_be_visible(timeout=30_000)
    expect(page.locator(CLICKABLE).first).to_be_visible(timeout=30_000)
    return until_shown(page, PRESSED, MOVE_IS_SHOWN)


def until_shown(page: Page, begin: str, shown: str) -> float:
    """Return the milliseconds from running `begin` to the first frame in which `shown` holds; both are JavaScript.

    Raises playwright.sync_api.Error, with the error shown by the page, after 20 s.
    """
    found: float = page.evaluate(TIMED % {"begin": begin, "shown": shown})
    return found


@contextmanager
def busy(target: str) -> Iterator[None]:
    """Keep a server busy with searches of other callers."""
    end = Event()

    def search() -> None:
        with Advisor(target) as advisor:
            while not end.is_set():
                advisor.recommend(POSITION, "500ms", early_stop=False)

    threads = [Thread(target=search) for _ in range(OTHERS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        end.set()
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    app()
