"""Every screen of the page, found independently of the language; each function begins in the lobby."""

from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from clerestory.engine import Record
from clerestory.search.review.puzzle import puzzle as puzzle_of
from tests.browser import harness as web
from tests.browser.positions import about_to, last_plan, mixer_or_mason, nearly_won, win
from tests.browser.tables import give_tables
from tests.browser.test_lessons import GO_ON, is_over, next_thing, press_what_is_lit
from tests.search.review.games import cut, random_game
from tests.shipped import DUEL

Screen = Callable[[Page], None]


def begun(page: Page) -> None:
    page.locator("form button[type=submit]").click()
    web.settled(page)
    web.drawn(page)


def offered(page: Page, number: int) -> Locator:
    """Return a button of a table's menu that has no key."""
    return page.locator(".menu button:not(:has(kbd))").nth(number)


# -- the lobby, and screens before a table -------------------------------------------------------------


def lobby(page: Page) -> None:
    page.locator("form details summary").click()
    expect(page.locator(".opponents p").first).not_to_be_empty()


def waiting(page: Page) -> None:
    page.locator(".seats select").nth(1).select_option("open")
    page.locator(".seats select").nth(2).select_option("here")
    page.locator("form button[type=submit]").click()
    expect(page.locator(".copy").first).to_be_visible()
    page.locator(".copy button").first.click()


def token(page: Page) -> None:
    web.refuse(page, "*Service/*", 401, "unauthenticated", "a token")
    page.reload()
    expect(page.locator("input[type=password]")).to_be_visible()


def at(address: str, there: str) -> Screen:
    """Return a screen that an address opens."""

    def screen(page: Page) -> None:
        page.goto(f"/#/{address}")
        page.reload()
        expect(page.locator(there)).to_be_visible()

    screen.__name__ = address
    return screen


def home(page: Page) -> None:
    """Show the lobby with a running game and a finished one."""
    kept(page)
    page.goto("/#/")
    resigned(page)
    page.goto("/#/")
    expect(page.locator("form")).to_be_visible()
    expect(page.locator("a[href*='/game/']").nth(1)).to_be_visible()


# -- a game --------------------------------------------------------------------------------------------


def kept(page: Page, game: str = "cathedral", players: int = 3) -> None:
    page.locator(f"input[name=game][value={game}]").check()
    page.locator(f"input[name=players][value='{players}']").check()
    for seat in range(1, players):
        page.locator(".seats select").nth(seat).select_option("bot1")
    begun(page)


def duel(page: Page) -> None:
    kept(page, "duel", 2)


def boxed(page: Page) -> None:
    """Show a game with a physical box, in which people enter chance events."""
    page.locator("form details summary").click()
    page.locator("form details input[type=checkbox]").last.check()
    page.locator("form button[type=submit]").click()
    expect(page.locator(".action").nth(1)).to_be_visible()
    web.drawn(page)


def helped(page: Page) -> None:
    kept(page, "duel", 2)
    page.keyboard.press("h")
    expect(page.locator("dialog")).to_be_visible()
    expect(page.locator("dialog select")).to_have_count(4)


def players(page: Page) -> None:
    duel(page)
    offered(page, 0).click()
    page.locator("dialog .danger").first.click()
    expect(page.locator("dialog .notice")).to_be_visible()


def shared(page: Page) -> None:
    duel(page)
    offered(page, 1).click()
    page.locator("dialog .copy button").first.click()


def explained(page: Page, table: Screen = kept, parts: int = 16) -> None:
    table(page)
    page.keyboard.press("t")
    expect(page.locator(".text-board")).to_be_visible()
    page.keyboard.press("i")
    expect(page.locator("dialog summary").nth(parts - 1)).to_be_visible()
    page.locator("dialog details").evaluate_all("all => all.forEach(one => { one.open = true; })")


def duel_explained(page: Page) -> None:
    explained(page, duel, 6)


def hinted(page: Page) -> None:
    page.evaluate("localStorage.setItem('hint-seconds', '1')")
    kept(page)
    page.locator("#hints").select_option("table")
    expect(page.locator(".lines tbody tr").first).to_be_visible()
    expect(page.locator("button.absent")).to_have_count(1)


def planned(page: Page) -> None:
    kept(page, "cathedral", 2)
    less = page.locator(".planning .stepper button:nth-of-type(1):not([aria-disabled='true'])")
    while web.settled(page) and not less.count():
        if page.locator(".planning").count():
            page.locator(".planning[aria-busy='false']").wait_for()
            if not less.count():
                finish(page)
        else:
            web.act_by_keyboard(page)
    less.first.click()
    expect(page.locator(".planning .main small").first).to_be_visible()


def finish(page: Page) -> None:
    before = web.version_of(page)
    page.locator(".planning .action").click()
    web.wait_for_change(page, before)


def begun_at(name: str, fill: Screen, there: str) -> Screen:
    """Return a screen of a game from a position that fills in the form."""

    def screen(page: Page) -> None:
        fill(page)
        begun(page)
        expect(page.locator(there).first).to_be_visible()

    screen.__name__ = name
    return screen


discarded = begun_at("discarded", lambda page: about_to(page, "discard"), ".planning .uses")
crowded = begun_at("crowded", mixer_or_mason, ".action .idle")  # one craftsman too many, when others need them
redrawn = begun_at("redrawn", lambda page: about_to(page, "redraw"), ".notices input[type=checkbox]")


def shared_screen(page: Page) -> None:
    """Show two people at one screen, who look at secrets."""
    page.locator("input[name=players][value='2']").check()
    page.locator(".seats select").nth(1).select_option("here")
    begun(page)
    page.locator(".menu button:not(:has(kbd))").first.click()


def asked(page: Page) -> None:
    """Show a take-back that requires another player's agreement."""
    page.locator("input[name=game][value=duel]").check()
    page.locator("input[name=players][value='2']").check()
    page.locator(".seats select").nth(1).select_option("open")
    page.locator("form button[type=submit]").click()
    expect(page.locator(".copy").first).to_be_visible()
    other = page.context.browser.new_page()  # type: ignore[union-attr]
    other.goto(page.url)
    other.locator("main input").first.fill("A")
    other.locator("main button").first.click()
    web.settled(page)
    web.act_by_keyboard(page)
    page.keyboard.press("u")
    expect(page.locator(".notices .notice")).to_be_visible()
    other.close()


def past(page: Page) -> None:
    kept(page)
    web.logged(page)
    page.keyboard.press("Home")
    expect(page.locator(".notice button")).to_be_visible()


def first(page: Page) -> None:
    web.store(page, {"first-games": {"explain": True, "ask": "all"}})
    kept(page)
    expect(page.locator(".notice.first")).to_be_visible()


def costly(page: Page) -> None:
    """Show a move that requires confirmation: the opponent wins after it."""
    web.store(page, {"first-games": {"explain": True, "ask": "all"}})
    nearly_won(page, "bot8")  # strong enough to use the error
    give_tables(page, {"build III brick": [1, 0], "end": [0, 1]})
    with page.expect_request_finished(lambda request: request.url.endswith("/Analyze")):
        begun(page)
    web.processed(page)
    page.locator('.action[data-action="end"]').press("Enter")
    expect(page.locator(".asking")).to_be_visible()


# -- its end -------------------------------------------------------------------------------------------


def resigned(page: Page) -> None:
    players(page)
    page.locator("dialog .notice .danger").click()
    expect(page.locator(".ending")).to_be_visible()
    page.locator(".ending p.row[aria-live] button").click()
    expect(page.locator(".ending p.row[aria-live] button")).to_have_count(0)


def ended(page: Page) -> None:
    """Show the end of a game, the moment that decided, and the next steps."""
    win(page)
    expect(page.locator(".moment p").first).to_be_visible()
    page.locator(".ending summary").click()
    expect(page.locator(".next-step a").first).to_be_visible()


def told(page: Page) -> None:
    """Show the end after an error, which is the moment that decided, with matching advice."""
    costly(page)
    page.locator(".asking button").first.click()
    expect(page.locator(".moment p").first).to_be_visible()


def cathedral_ended(page: Page) -> None:
    last_plan(page)
    begun(page)
    page.locator(".planning .action").click()
    expect(page.get_by_test_id("winner")).to_be_visible()


# -- learning ------------------------------------------------------------------------------------------


def path(page: Page) -> None:
    page.goto("/#/path")
    expect(page.locator(".lessons").nth(1)).to_be_visible()
    page.locator("input[type=file]").set_input_files({"name": "a", "mimeType": "text/plain", "buffer": b"no path"})
    expect(page.locator(".trouble")).to_be_visible()


def walked(page: Page) -> None:
    done = {"lessons": {"goal": 3, "lines": 1}, "beaten:duel": [1, 2], "puzzles:duel": [1, 2], "reviewed:duel": ["a"]}
    web.store(page, done)
    resigned(page)
    page.goto("/#/path")
    expect(page.locator(".lessons").nth(1)).to_be_visible()


def taught(page: Page) -> None:
    page.goto("/#/learn/goal")
    tries = 0
    while next_thing(page) and not is_over(page):
        if page.locator(GO_ON).count():
            page.locator(GO_ON).click()
        else:
            press_what_is_lit(page, tries)
            tries += 1


def lesson(page: Page) -> None:
    """Show a lesson, after a wrong answer if it has a task."""
    page.goto("/#/learn/lines")
    expect(page.locator(".lesson")).to_be_visible()
    while not page.locator(".lesson .task").count():
        page.locator(".lesson button.main").click()
        expect(page.locator(".lesson button.main, .lesson .task").first).to_be_visible()
    web.drawn(page)


def puzzle(page: Page) -> None:
    page.goto("/#/puzzle/cathedral/3")
    page.locator(".following > button").click()
    expect(page.locator(".puzzle b")).to_be_visible()
    web.drawn(page)


def tried(page: Page) -> None:
    page.goto("/#/puzzle/duel/1")
    expect(page.locator(".table:not(:has([data-fresh])) .action[aria-disabled='false']").first).to_be_visible()
    page.locator(".action").last.click()
    expect(page.locator(".puzzle [role=status], .puzzle [aria-live], .puzzle b").first).to_be_attached()


def solved(page: Page) -> None:
    page.goto("/#/puzzle/duel/1")
    best = puzzle_of(DUEL, 1).best
    page.locator(f'.table:not(:has([data-fresh])) .action[data-action="{best}"]').first.click()
    expect(page.locator(".puzzle b")).to_be_visible()


def studied(page: Page) -> None:
    page.goto("/#/study/new/cathedral/4")
    web.drawn(page)


def no_study(page: Page) -> None:
    web.study(page, "[1]\n[2]")
    expect(page.locator(".trouble")).to_be_visible()


def recorded(page: Page) -> None:
    """Show the study of a game with errors."""
    web.study(page, "\n".join(Record(cut(random_game("duel", 2, 1), 44)).lines()))


def reviewed(page: Page) -> None:
    recorded(page)
    page.locator(".side .more button.wide").first.click()
    expect(page.locator(".review .figures")).to_be_visible()
    page.locator(".review details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    page.keyboard.press("n")


def erred(page: Page) -> None:
    """Show an error of a review that is tried again, with the same error."""
    reviewed(page)
    page.locator(".actions:not([data-fresh]) .action").last.click()
    expect(page.locator(".review .error p").nth(1)).not_to_be_empty()
    page.locator(".review .error button").last.click()


def owned(page: Page) -> None:
    """Show the owner's form without an error, so that its file can be saved."""
    page.goto("/#/box/duel")
    page.locator(".boxed-card input[type=number]").first.fill("3")
    expect(page.locator("a[download]")).to_be_visible()


def owner(page: Page) -> None:
    page.goto("/#/box/duel")
    expect(page.locator(".boxed-card").first).to_be_visible()
    page.locator(".boxed-card input[type=number]").first.fill("99")


SCREENS: list[Screen] = [
    at("game/nothing-like-it", ".trouble"), at("nowhere/at/all", ".notice"), at("puzzle/duel/99999", ".trouble"),
    lobby, waiting, token,
    home, kept, duel, boxed, helped, players, shared, explained, duel_explained, hinted,
    planned, discarded, crowded, redrawn, shared_screen, asked, past, first, costly, resigned, ended, told,
    cathedral_ended, path, walked, lesson, taught, puzzle, tried, solved, studied, no_study,
    reviewed, erred, owned, owner,
]  # fmt: skip
