"""What decides is told in words: what an action costs, which card a contest is about, and the whole board by `t`."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.harness import Calls, begin, new_game, play_on, settled, start
from tests.browser.harness import menu as open_menu
from tests.browser.positions import in_a_contest, nearly_won, placed_free


def test_cards_of_the_draft_say_what_they_cost(page: Page) -> None:
    new_game(page, "cathedral", ["me", "bot1"])
    settled(page)
    for kind, says in (("take", r"workers needed: \d+"), ("hire", r"costs \d+ gold")):
        for action in page.locator(f".action[data-action^='{kind}']").all():
            expect(action).to_contain_text(re.compile(says))


def test_building_says_what_it_costs(page: Page) -> None:
    nearly_won(page)
    begin(page)
    settled(page)
    expect(page.locator(".action[data-action='build III brick']")).to_contain_text("costs 2 gold")
    page.locator("[data-about='0.section.III']").hover()
    expect(page.locator(".bubble")).to_contain_text("still missing: brick; one costs 2 gold")


def test_a_contest_says_for_which_card(page: Page) -> None:
    card = in_a_contest(page)
    begin(page)
    settled(page)
    expect(page.locator(".stands p")).to_contain_text(card)
    expect(page.locator(".action[data-action='stop']")).to_contain_text(card)
    expect(page.locator(".cell.using")).to_have_count(1)
    expect(page.locator(".cell.using")).to_contain_text(card)


def test_a_builder_that_a_card_places_free_costs_nothing(page: Page) -> None:
    placed_free(page)
    begin(page)
    settled(page)
    expect(page.locator(".stands p")).to_contain_text("costs 0 gold")
    page.keyboard.press("t")
    expect(page.locator(".text-board")).to_contain_text("Red (free)")


CATHEDRAL = (
    r"costs \d gold, .* into .*, times: \d",
    r"workers needed: \d",
    "At the market, 2 gold each: 4 sand",
    "not rolled",
    "–, –, –, –",
)
DUEL = ("1: costs 2 gold, 2: costs 6 gold", "beam, missing", r"2/3 \(Personal seal\)", r"\+10 gold", r" \(.*gold.*\)")


@pytest.mark.parametrize(("game", "says"), [("cathedral", CATHEDRAL), ("duel", DUEL)])
def test_the_board_in_words_tells_what_the_drawing_shows(page: Page, game: str, says: tuple[str, ...]) -> None:
    start(page, game=game)
    page.keyboard.press("t")
    for one in says:
        expect(page.locator(".text-board")).to_contain_text(re.compile(one))


# -- where a browser keeps nothing ---------------------------------------------------------------------

BLOCKED = """for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, {get() { throw new DOMException('denied', 'SecurityError'); }})"""
FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }"


@pytest.mark.parametrize("storage", [BLOCKED, FULL], ids=["blocked", "full"])
def test_a_browser_that_keeps_nothing_plays_and_says_what_will_be_lost(page: Page, storage: str) -> None:
    page.add_init_script(storage)
    page.reload()
    new_game(page, "duel", ["me", "bot1"])
    assert settled(page)
    expect(page.get_by_text("is lost when you close this page")).to_be_visible()
    assert play_on(page, lambda offered: offered[0], 1) == 1


def test_a_token_that_is_one_no_longer_shuts_nobody_out(page: Page) -> None:
    identifier = start(page, ("me", "here"))
    page.evaluate(
        """game => { const key = 'game:' + game, keys = JSON.parse(localStorage.getItem(key));
            keys.seats[1] = 'given-away'; localStorage.setItem(key, JSON.stringify(keys)); }""",
        identifier,
    )
    page.reload()
    expect(page.locator(".board")).to_be_visible()
    assert list(Calls(page).keys(identifier)["seats"]) == ["0"]


# -- on a phone, and at the end ------------------------------------------------------------------------


def test_the_menu_of_a_phone_closes_by_escape_and_by_a_tap_beside_it(page: Page) -> None:
    start(page)
    page.set_viewport_size({"width": 390, "height": 844})
    menu, log = page.locator(".menu"), page.locator(".log ol li")
    before = log.count()
    for leave in (lambda: page.keyboard.press("Escape"), lambda: page.mouse.click(20, 400)):
        page.locator(".menu-button").click()
        expect(menu).to_be_visible()
        leave()
        expect(menu).to_be_hidden()
    assert log.count() == before, "the tap has played nothing"


def test_a_game_that_was_given_up_asks_nobody_and_gives_no_hints(page: Page) -> None:
    start(page)
    open_menu(page, "Players")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Yes, resign").click()
    expect(page.locator(".ending")).to_be_visible()
    expect(page.locator(".stands p")).not_to_contain_text("Claim")
    expect(page.locator(".player.acts")).to_have_count(0)
    expect(page.locator("#hints")).to_be_disabled()
    expect(page.locator(".hints")).to_contain_text("the study has hints")


def test_nothing_is_explained_that_only_came_under_a_resting_pointer(page: Page) -> None:
    page.mouse.move(300, 300)
    page.keyboard.press("Escape")
    page.locator("form button[type=submit]").dispatch_event("click")
    settled(page)
    expect(page.locator(".drawn")).to_be_visible()
    page.wait_for_timeout(1500)
    expect(page.locator(".bubble")).to_have_count(0)
    page.mouse.move(302, 300)
    page.mouse.move(304, 300)
    expect(page.locator(".bubble")).to_have_count(1)


def test_the_log_begins_at_the_beginning_where_the_game_does(page: Page) -> None:
    start(page, game="cathedral")
    play_on(page, lambda offered: offered[0], 3)
    rows = page.locator(".log ol")
    expect(rows).not_to_have_js_property("scrollTop", 0)
    page.keyboard.press("Home")
    expect(page.locator(".steps")).to_contain_text("0 / ")
    expect(rows).to_have_js_property("scrollTop", 0)
