"""A person's actions on the page, checked against the core."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from playwright.sync_api import Error, Page, Request, Route, expect

from clerestory.engine import read_records
from lab.browser import choose_game

PATIENCE = 60_000  # milliseconds; a wait ends as soon as there is what it waits for
UNPLANNED = ".planning .action[aria-disabled='true']"  # where a plan must be made first
LOOK, QUIET = 500, 3  # milliseconds between looks at searches, and looks after which none follows
FRAME = 20  # milliseconds between looks at what a page shows: an `expect` that does not hold yet reads the whole page
SETTLED = """() => {
    if (document.querySelector("[data-testid='winner']")?.checkVisibility()) return "over";
    const table = document.querySelector(".table");
    if (table?.querySelector(".status.mine")?.checkVisibility() !== true) return "";
    const unplanned = ".planning:not(:has(.action))"; // the service is still to say what can be planned
    const busy = `.actions:not(.planning) .action[aria-disabled='true'], [data-fresh], ${unplanned}`;
    return table.querySelector(busy) ? "" : "mine";
}"""
BELIEVED = f"""() => ({{
    settled: ({SETTLED})(),
    at: location.hash,
    keys: localStorage.getItem("game:" + location.hash.split("/")[2]),
    version: document.querySelector("[data-version]")?.dataset.version,
    told: [...document.querySelectorAll(".turn, .trouble, .notice")].map(one => one.textContent),
    offered: [...document.querySelectorAll(".action")].map(one => one.dataset.action)}})"""
SOON = 5_000  # milliseconds within which a page answers, or is taken to be stuck
UNDER_WAY = WeakKeyDictionary[Page, dict[Request, None]]()  # calls, of pages that have begun a game
OFFERED = f"""() => [document.querySelector("[data-version]").dataset.version,
    [...document.querySelectorAll(".action")].map(one => one.dataset.action),
    document.querySelector("{UNPLANNED}") !== null]"""


@dataclass
class Calls:
    """The games that a tab has created or opened, from its storage."""

    page: Page
    ids: list[str] = field(default_factory=list)

    def keys(self, game: str) -> dict[str, Any]:
        text = self.page.evaluate("id => localStorage.getItem('game:' + id)", game)
        found: dict[str, Any] = json.loads(text)
        return found


def new_game(page: Page, game: str, holders: list[str]) -> str:
    """Start a game, and return its identifier."""
    choose_game(page, game, holders)
    return begin(page)


def begin(page: Page) -> str:
    """Start the game that is chosen, and return its identifier."""
    note_calls(page)
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url("**/#/game/*")
    return page.url.rpartition("/")[2]


def note_calls(page: Page) -> None:
    """Keep which calls of a page are under way."""
    calls = UNDER_WAY[page] = {}
    page.on("request", lambda request: calls.update({request: None}))
    for over in ("requestfinished", "requestfailed"):
        page.on(over, lambda request: calls.pop(request, None))  # type: ignore[call-overload]


def settled(page: Page) -> bool:
    """Wait until somebody at this screen may act or the game is over; return whether it is still running.

    While a call is in progress, buttons have no effect, and are drawn as disabled; nor have they while they are new.
    """
    return page.wait_for_function(SETTLED, polling=FRAME, timeout=PATIENCE).json_value() == "mine"


def beliefs(page: Page) -> str:
    """What a page shows of its game, the calls that it waits for, and what the server has: why is waited in vain?"""
    try:
        shown = page.wait_for_function(BELIEVED, polling=FRAME, timeout=SOON).json_value()
        tokens = list(json.loads(shown.pop("keys") or '{"seats": {}}')["seats"].values())[:1]
        asked = {"game_id": shown["at"].rpartition("/")[2], "tokens": tokens}
        answer = page.request.post("/clerestory.v1.GameService/GetGame", data=asked, timeout=SOON).json()
    except Error as error:
        return f"page or server cannot be asked: {error.message}"
    calls = [request.url.rpartition("/")[2] for request in UNDER_WAY.get(page, {})]
    game = {field: answer["game"].get(field) for field in ("status", "version", "turn")} if "game" in answer else answer
    return f"page: {shown}\ncalls under way: {calls}\nserver: {game}"


def logged(page: Page) -> None:
    """Wait until the log is there: before that nobody can look back."""
    expect(page.locator(".log ol li").first).to_be_attached()


def wait_for_change(page: Page, version: str | None) -> None:
    """Wait until the game is no longer at a version."""
    changed = "before => document.querySelector('[data-version]').dataset.version !== before"
    page.wait_for_function(changed, arg=version, polling=FRAME, timeout=PATIENCE)


def when_held(page: Page, held: list[Route]) -> Route:
    """Wait until a call has been made, hold it back, and return it."""
    while not held:
        page.wait_for_timeout(10)
    return held[0]


@contextmanager
def held_back(page: Page, url: str) -> Iterator[list[Route]]:
    """Hold back the calls of an address until the end, when these and all later ones go their way. Yields them."""
    held: list[Route] = []
    over = False

    def meet(route: Route) -> None:
        if over:
            route.continue_()
        else:
            held.append(route)

    page.route(url, meet)
    yield held
    over = True
    for route in held:
        route.continue_()


@contextmanager
def lost(page: Page, url: str, lose: Callable[[Route], None] = Route.abort, times: int = 1) -> Iterator[list[Route]]:
    """Lose the first calls of an address; hold back what follows them until the end, so that the trouble is seen.

    Yields the lost calls.
    """
    gone: list[Route] = []

    def meet(route: Route) -> None:
        if len(gone) < times:
            gone.append(route)
            lose(route)
        else:
            route.fallback()

    with held_back(page, url):
        page.route(url, meet)
        yield gone


def hide(page: Page, hidden: bool = True) -> None:
    """Make a page believe that it is hidden, or seen again."""
    page.evaluate(
        """hidden => { Object.defineProperty(document, 'hidden', {get: () => hidden, configurable: true});
            document.dispatchEvent(new Event('visibilitychange')); }""",
        hidden,
    )


def act_by_keyboard(page: Page) -> None:
    """Play the first action without the mouse."""
    version = page.locator("[data-version]").get_attribute("data-version")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    wait_for_change(page, version)


def plan(page: Page) -> None:
    """Where a plan must be made, as for what is discarded, plan as much as is needed."""
    while page.locator(UNPLANNED).count():
        more = page.locator(".planning button[aria-label^='One more']:not([aria-disabled='true'])").first
        more.click()
        expect(page.locator(".planning[aria-busy='true']")).to_have_count(0)


def play_on(page: Page, choose: Callable[[list[str]], str], plies: int = 10_000) -> int:
    """Click actions until the game is over or a number is reached; return the number of clicks."""
    pressed = 0
    while pressed < plies and settled(page):
        version, offered, unplanned = page.evaluate(OFFERED)
        if not offered:
            continue
        if unplanned:
            plan(page)
        page.locator(f'.action[data-action="{choose(offered)}"]').click()
        pressed += 1
        wait_for_change(page, version)
    return pressed


def menu(page: Page, name: str) -> None:
    """Press a button of the menu, which is folded on a phone."""
    if page.get_by_role("button", name="Menu", exact=True).is_visible():
        page.get_by_role("button", name="Menu", exact=True).click()
    page.get_by_role("button", name=name, exact=True).click()


def resign(page: Page) -> None:
    """End the game."""
    menu(page, "Players")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Yes, resign").click()
    expect(page.get_by_role("button", name="Rematch")).to_be_visible(timeout=PATIENCE)


def hinted(page: Page, seconds: int, *, to_the_end: bool = True) -> None:
    """Request full hints, and wait for the first table of a search, or for its last."""
    page.evaluate("seconds => localStorage.setItem('hint-seconds', seconds)", str(seconds))
    page.reload()  # so that there is one search and not two
    settled(page)
    page.get_by_label("Hints ?").select_option("table")
    expect(page.locator(".lines tbody tr").first).to_be_visible(timeout=PATIENCE)
    if to_the_end:
        expect(page.locator(".told")).to_contain_text("longer searches", timeout=PATIENCE)


def called(page: Page, method: str, game: str, tokens: list[str], **fields: Any) -> Any:
    """What a method of GameService answers, called as the page does."""
    answer = page.request.post(
        f"/clerestory.v1.GameService/{method}",
        headers={"content-type": "application/json"},
        data={"game_id": game, "tokens": tokens, **fields},
    )
    assert answer.ok, answer.text()
    return answer.json()


def token_of(page: Page, game: str) -> list[str]:
    """The token of the first seat that a tab has."""
    return list(Calls(page).keys(game)["seats"].values())[:1]


def record_of(page: Page, game: str) -> str:
    """The record of a game as the page's own call returns it."""
    record: str = called(page, "GetRecord", game, token_of(page, game))["record"]
    return record


def finish_by_calls(page: Page, game: str, choose: Callable[[list[str]], str]) -> None:
    """Play on to the end while no page draws the game, then open it again."""
    tokens = token_of(page, game)
    page.goto("/")
    while (seen := called(page, "GetGame", game, tokens))["game"]["status"] == "GAME_STATUS_RUNNING":
        offered = [one["action"]["text"] for one in seen["views"][0].get("actions", [])]
        if offered:
            called(page, "PlayAction", game, tokens, version=seen["game"]["version"], action=choose(offered))
    page.goto(f"/#/game/{game}")


def played_through(record: str) -> Any:
    """The last position of a record, every ply of which the core has found legal."""
    (found,) = read_records(record.splitlines())
    return found.state


def start(page: Page, holders: tuple[str, ...] = ("me", "bot1"), game: str = "duel") -> str:
    """Begin a game, and wait until its page has settled; return its identifier."""
    identifier = new_game(page, game, list(holders))
    settled(page)
    return identifier


def thought_over(page: Page, do: Callable[[], None] = lambda: None) -> None:
    """Begin the game, do something, and wait until searches have looked at it, of which one follows the other."""
    begun: list[str] = []
    ended: list[str] = []
    page.on("request", lambda request: begun.append(request.url))
    page.on("requestfinished", lambda request: ended.append(request.url))
    page.locator("form button[type=submit]").click()
    assert settled(page)
    do()
    quiet = 0
    while quiet < QUIET:
        page.evaluate("wait => new Promise(done => setTimeout(done, wait))", LOOK)  # by the time that the page has
        searches = [sum(url.endswith("/Analyze") for url in urls) for urls in (begun, ended)]
        quiet = quiet + 1 if searches[0] == searches[1] > 0 else 0
