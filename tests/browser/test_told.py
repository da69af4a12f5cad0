"""What decides is told in words: what an action costs, which card a contest is about, and the whole board by `t`."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.harness import begin, play_on, settled, start
from tests.browser.positions import LAST_BUILD, in_a_contest, nearly_won, placed_free

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
    for kind, cost in (("take", r"workers needed: \d+"), ("hire", r"costs \d+ gold")):
        for action in page.locator(f".action[data-action^='{kind}']").all():
            expect(action).to_contain_text(re.compile(cost))
    page.keyboard.press("t")
    for one in says:
        expect(page.locator(".text-board")).to_contain_text(re.compile(one))


def test_building_says_what_it_costs(page: Page) -> None:
    nearly_won(page)
    begin(page)
    settled(page)
    expect(page.locator(LAST_BUILD)).to_contain_text("costs 2 gold")
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


BLOCKED = """for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, {get() { throw new DOMException('denied', 'SecurityError'); }})"""
FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }"


@pytest.mark.parametrize("storage", [BLOCKED, FULL], ids=["blocked", "full"])
def test_a_browser_that_keeps_nothing_plays_and_says_what_will_be_lost(page: Page, storage: str) -> None:
    page.add_init_script(storage)
    page.reload()
    start(page)
    expect(page.get_by_text("is lost when you close this page")).to_be_visible()
    assert play_on(page, 1) == 1


def test_the_log_begins_at_the_beginning_where_the_game_does(page: Page) -> None:
    start(page, game="cathedral")
    play_on(page, 3)
    settled(page)  # a move of a bot leads back to the present
    rows = page.locator(".log ol")
    expect(rows).not_to_have_js_property("scrollTop", 0)
    page.keyboard.press("Home")
    expect(page.locator(".steps")).to_contain_text("0 / ")
    expect(rows).to_have_js_property("scrollTop", 0)
