"""Actions of a user on the page, and queries of the page and its server."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page, Request, Route, expect

from clerestory.engine import State, read_records
from tools.lab.browser import choose_game

PATIENCE = 180_000  # milliseconds; a wait ends as soon as its condition holds
SOON = 5_000  # milliseconds for a page to report its state
POLL = 20  # milliseconds between reads of a page: an `expect` that does not hold yet reads the whole page
UNPLANNED = ".planning .action[aria-disabled='true']"  # an action that requires a plan first
OFFERED = f"""() => [document.querySelector("[data-version]").dataset.version,
    [...document.querySelectorAll(".action")].map(one => one.dataset.action),
    document.querySelector("{UNPLANNED}") !== null]"""
SETTLED = """() => {
    if (document.querySelector("[data-testid='winner']")?.checkVisibility()) return "over";
    const table = document.querySelector(".table");
    if (table?.querySelector(".status.mine")?.checkVisibility() !== true) return "";
    const unplanned = ".planning:not(:has(.action))"; // the service is still to say what can be planned
    const busy = `.actions:not(.planning) .action[aria-disabled='true'], [data-fresh], ${unplanned}`;
    return table.querySelector(busy) ? "" : "mine";
}"""
PRESS = f"""([version, action]) => {{
    if (document.querySelector("[data-version]").dataset.version !== version) return "late";
    if (({SETTLED})() !== "mine") return "";
    document.querySelector(`.action[data-action="${{action}}"]`).click();
    return "pressed";
}}"""
CARRIED_OUT = """before => {
    if (document.querySelector("[data-version]").dataset.version !== before) return true;
    document.querySelector(".notice.asking button")?.click(); // a costly move is asked about: play it
    return false;
}"""
BELIEVED = f"""() => ({{
    settled: ({SETTLED})(),
    at: location.hash,
    keys: localStorage.getItem("game:" + location.hash.split("/")[2]),
    version: document.querySelector("[data-version]")?.dataset.version,
    told: [...document.querySelectorAll(".turn, .trouble, .notice")].map(one => one.textContent),
    offered: [...document.querySelectorAll(".action")].map(one => one.dataset.action)}})"""

Choice = Callable[[list[str]], str]
expect.set_options(timeout=PATIENCE)


# -- tabs ----------------------------------------------------------------------------------------------


@contextmanager
def open_tab(context: BrowserContext) -> Iterator[Page]:
    """Yield a tab on the lobby, where bots move at once; close its context. Any error on the page fails the test."""
    with context:
        context.set_default_timeout(PATIENCE)
        context.add_init_script("localStorage.pace ??= '0'; localStorage['round-card'] ??= '0'")
        page = context.new_page()
        errors = errors_of(page)
        page.goto("/")
        yield page
    assert errors == []


def errors_of(page: Page) -> list[str]:
    """Return a list that grows with each error of a page."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if is_error(message) else None)
    return errors


def is_error(message: ConsoleMessage) -> bool:
    """Whether a console message is an error of the page; rejected requests, which tests may intend, are not."""
    return message.type == "error" and not message.text.startswith("Failed to load resource")


def beliefs(page: Page) -> str:
    """Describe what a page shows of its game, and the state on the server."""
    try:
        shown = page.wait_for_function(BELIEVED, polling=POLL, timeout=SOON).json_value()
        tokens = list(json.loads(shown.pop("keys") or '{"seats": {}}')["seats"].values())[:1]
        fields = {"game_id": shown["at"].rpartition("/")[2], "tokens": tokens}
        answer = page.request.post("/clerestory.v1.GameService/GetGame", data=fields, timeout=SOON).json()
    except Error as error:
        return f"page or server cannot be asked: {error.message}"
    game = {field: answer["game"].get(field) for field in ("status", "version", "turn")} if "game" in answer else answer
    return f"page: {shown}\nserver: {game}"


# -- waiting -------------------------------------------------------------------------------------------


def settled(page: Page) -> bool:
    """Wait until the user may act or the game is over; return whether it is still running.

    During a call, buttons have no effect and are drawn as disabled; new buttons have no effect either.
    """
    return page.wait_for_function(SETTLED, polling=POLL, timeout=PATIENCE).json_value() == "mine"


def logged(page: Page) -> None:
    """Wait for the log, which is needed to go back in the game."""
    expect(page.locator(".log ol li").first).to_be_attached()


def drawn(page: Page) -> None:
    """Wait until the board is drawn, with the names of its cards."""
    expect(page.locator(".board > .drawn")).to_be_visible()
    expect(page.locator(".board")).not_to_contain_text("…")


def version_of(page: Page) -> str:
    return str(page.locator("[data-version]").get_attribute("data-version"))


def wait_for_change(page: Page, version: str) -> None:
    changed = "before => document.querySelector('[data-version]').dataset.version !== before"
    page.wait_for_function(changed, arg=version, polling=POLL, timeout=PATIENCE)


def processed(page: Page) -> None:
    """Wait until a page has processed all previous answers, and its earlier calls have ended."""
    page.evaluate("fetch('/icon.svg', { cache: 'no-store' }).then(answer => answer.text())")


# -- the network ---------------------------------------------------------------------------------------


def calls_to(page: Page, method: str, *, answered: bool = False) -> list[str]:
    """Return a list that grows with each call of a method by a page, when it begins or when it was answered."""
    calls: list[str] = []

    def note(request: Request) -> None:
        if request.url.endswith(f"/{method}"):
            calls.append(request.url)

    page.on("requestfinished" if answered else "request", note)
    return calls


def wait_for_calls(page: Page, calls: list[str], number: int) -> None:
    """Wait until a list of calls has grown to a number, and the page has processed them."""
    while len(calls) < number:
        page.wait_for_timeout(10)
    processed(page)


def meet_first(page: Page, method: str, meet: Callable[[Route], object], times: int | None = None) -> list[Route]:
    """Meet the first calls of a method, or all; let later ones pass. Return the list that collects the calls met.

    They are counted here because the `times` of Playwright ends the interception of the page with the last call, and
    then requests in flight, such as those of modules and styles, are sometimes never answered.
    """
    met: list[Route] = []

    def handle(route: Route) -> None:
        if times is None or len(met) < times:
            met.append(route)
            meet(route)
        else:
            route.fallback()

    page.route(f"**/{method}", handle)
    return met


def hold(page: Page, method: str, times: int | None = None) -> list[Route]:
    """Hold back some or all calls of a method until the test continues them; return the list that collects them."""
    return meet_first(page, method, lambda route: None, times)


def when_held(page: Page, held: list[Route]) -> Route:
    while not held:
        page.wait_for_timeout(10)
    return held[0]


@contextmanager
def held_back(page: Page, method: str) -> Iterator[list[Route]]:
    """Hold back the calls of a method during the block, then continue these and all later ones. Yields them."""
    held: list[Route] = []
    over = False

    def meet(route: Route) -> None:
        if over:
            route.fallback()
        else:
            held.append(route)

    page.route(f"**/{method}", meet)
    yield held
    over = True
    for route in held:
        route.continue_()


@contextmanager
def lost(page: Page, method: str, lose: Callable[[Route], None] = Route.abort, times: int = 1) -> Iterator[list[Route]]:
    """Lose the first calls of a method; hold back later ones during the block, so that the problem is visible.

    Yields the lost calls.
    """
    with held_back(page, method):
        yield meet_first(page, method, lose, times)


def refuse(page: Page, method: str, status: int, code: str, message: str, times: int | None = None) -> list[Route]:
    """Answer calls of a method with an error; return the list that collects them."""
    body = json.dumps({"code": code, "message": message})
    answer = partial(Route.fulfill, status=status, content_type="application/json", body=body)
    return meet_first(page, method, answer, times)


def called(page: Page, method: str, **fields: Any) -> Any:
    """Return the answer of a method, such as `GameService/GetGame`, called like the page does."""
    headers = {"content-type": "application/json"}
    answer = page.request.post(f"/clerestory.v1.{method}", headers=headers, data=fields)
    assert answer.ok, answer.text()
    return answer.json()


def hide(page: Page, hidden: bool = True) -> None:
    page.evaluate(
        """hidden => { Object.defineProperty(document, 'hidden', {get: () => hidden, configurable: true});
            document.dispatchEvent(new Event('visibilitychange')); }""",
        hidden,
    )


def store(page: Page, items: dict[str, Any]) -> None:
    """Store values as JSON in a page's storage, and reload the page."""
    for key, value in items.items():
        page.evaluate("([key, value]) => localStorage.setItem(key, value)", [key, json.dumps(value)])
    page.reload()


# -- games ---------------------------------------------------------------------------------------------


def new_game(page: Page, game: str, holders: list[str]) -> str:
    choose_game(page, game, holders)
    return begin(page, settle=False)


def study(page: Page, text: str) -> None:
    """Open the study of a record or a position, as of a file that was chosen."""
    page.evaluate("text => sessionStorage.setItem('imported', text)", text)
    page.goto("/#/study/file")


def begin(page: Page, *, settle: bool = True) -> str:
    """Start the chosen game, wait until its page has settled, and return its identifier."""
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url("**/#/game/*")
    if settle:
        settled(page)
    return page.url.rpartition("/")[2]


def start(page: Page, holders: tuple[str, ...] = ("me", "bot1"), game: str = "duel") -> str:
    """Start a game, and wait until its page has settled; return its identifier."""
    identifier = new_game(page, game, list(holders))
    settled(page)
    return identifier


def keys_of(page: Page, game: str) -> dict[str, Any]:
    """Return what a page has stored about a game, such as the tokens of seats and onlookers."""
    keys: dict[str, Any] = json.loads(page.evaluate("id => localStorage.getItem('game:' + id)", game))
    return keys


def tokens_of(page: Page, game: str) -> list[str]:
    return list(keys_of(page, game)["seats"].values())


def record_of(page: Page, game: str) -> str:
    """Return the record of a game as the first seat of a page sees it."""
    record: str = called(page, "GameService/GetRecord", game_id=game, tokens=tokens_of(page, game)[:1])["record"]
    return record


def played_through(record: str) -> State:
    """Return the last position of a record, after checking that every ply is legal."""
    (found,) = read_records(record.splitlines())
    return found.state


def first(offered: list[str]) -> str:
    return offered[0]


def play_on(page: Page, plies: int = 10_000, choose: Choice = first) -> int:
    """Click actions until the game is over or a number of clicks is reached; return the number of clicks."""
    pressed = 0
    while pressed < plies and settled(page):
        version, offered, unplanned = page.evaluate(OFFERED)
        if not offered:
            continue
        if unplanned:
            plan(page)
        if press(page, version, choose(offered)):
            pressed += 1
            page.wait_for_function(CARRIED_OUT, arg=version, polling=POLL, timeout=PATIENCE)
    return pressed


def press(page: Page, version: str, action: str) -> bool:
    """Click an action at a moment when it has an effect; return False if the game has continued meanwhile."""
    pressed = page.wait_for_function(PRESS, arg=[version, action], polling=POLL, timeout=PATIENCE)
    return pressed.json_value() == "pressed"


def plan(page: Page) -> None:
    """Plan as much as is needed where a plan is required, such as for discards."""
    while page.locator(UNPLANNED).count():
        more = page.locator(".planning button[aria-label^='One more']:not([aria-disabled='true'])").first
        more.click()
        expect(page.locator(".planning[aria-busy='true']")).to_have_count(0)


def act_by_keyboard(page: Page) -> None:
    version = version_of(page)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    wait_for_change(page, version)


def menu(page: Page, name: str) -> None:
    """Press a button of the menu, which is collapsed on a phone."""
    if page.get_by_role("button", name="Menu", exact=True).is_visible():
        page.get_by_role("button", name="Menu", exact=True).click()
    page.get_by_role("button", name=name, exact=True).click()


def resign(page: Page) -> None:
    menu(page, "Players")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Yes, resign").click()
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()


# -- hints ---------------------------------------------------------------------------------------------


def hinted(page: Page, seconds: int, *, to_the_end: bool = True) -> None:
    """Request full hints, and wait for the first table of a search, or for its last."""
    page.evaluate("seconds => localStorage.setItem('hint-seconds', seconds)", str(seconds))
    page.reload()  # avoids two concurrent searches
    settled(page)
    page.get_by_label("Hints ?").select_option("table")
    expect(page.locator(".lines tbody tr").first).to_be_visible()
    if to_the_end:
        expect(page.locator(".told")).to_contain_text("longer searches")
