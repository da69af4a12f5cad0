"""A game that waits for people: its links, bots for seats that stay open, and the news that it has begun."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import harness as web
from tests.browser.test_sounds import COUNT
from tools.lab.browser import choose_game

HIDE = "Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })"
SHOW = "delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))"
COLLECT = """globalThis.notices = [];
globalThis.Notification = class { static permission = "granted"; constructor(words) { notices.push(words); } };"""
PASS_ON = "() => { globalThis.passed = []; navigator.share = async one => { passed.push(one.url); }; }"


def sit(tab: Page, game: str) -> None:
    tab.goto(f"/#/game/{game}")
    tab.get_by_role("button", name="Sit here").click()
    expect(tab.locator(".board")).to_be_visible()


def test_the_owner_chooses_who_plays_where_nobody_has_come(page: Page) -> None:
    web.new_game(page, "cathedral", ["me", "open", "open"])
    expect(page.get_by_text("2 seats are still open.")).to_be_visible()
    for colour in ("Blue", "Green"):
        page.get_by_label(f"Opponent in {colour}").select_option(label="Mabel, level 2")
        page.get_by_role("button", name="Let a bot play").first.click()
        expect(page.get_by_label(f"Opponent in {colour}")).to_have_count(0)
    expect(page.locator(".player-name .who")).to_have_text(["Red (you)", "Mabel (Blue)", "Mabel (Green)"])


def test_the_lobby_says_when_a_game_that_waits_was_opened(page: Page) -> None:
    game = web.new_game(page, "duel", ["me", "open"])
    page.goto("/#/")
    opened = page.locator(f"li:has(a[href*='{game}'])")
    expect(opened).to_contain_text(re.compile(r"now|\d+ (second|minute)s? ago"))


def test_only_who_has_no_seat_is_offered_one_and_only_the_owner_bots(page: Page, other: Page) -> None:
    game = web.new_game(page, "duel", ["me", "open"])
    expect(page.get_by_role("button", name="Let a bot play")).to_have_count(1)
    expect(page.get_by_role("button", name="Sit here")).to_have_count(0)
    other.goto(f"/#/game/{game}")
    expect(other.get_by_role("button", name="Sit here")).to_have_count(1)
    expect(other.get_by_role("button", name="Let a bot play")).to_have_count(0)


@pytest.mark.parametrize(("onlookers", "watched"), [("Anyone with the link", 1), ("None", 0)])
def test_the_links_can_be_passed_on(page: Page, onlookers: str, watched: int) -> None:
    page.evaluate(PASS_ON)
    choose_game(page, "duel", ["me", "open"])
    page.get_by_label("Onlookers").select_option(onlookers)
    game = web.begin(page, settle=False)
    expect(page.get_by_label("Send this link to the other players")).to_have_value(page.url)
    expect(page.get_by_text("These links work on this machine only.")).to_be_visible()
    links = page.locator(".copy").get_by_role("button", name="Share")
    expect(links).to_have_count(1 + watched)
    for link in links.all():
        link.click()
    addresses = page.evaluate("passed")
    assert addresses[0] == page.url
    assert [f"{game}/watch/" in one for one in addresses[1:]] == [True] * watched


def test_one_who_looks_elsewhere_is_told_once_that_it_has_begun(page: Page, other: Page) -> None:
    page.add_init_script(COLLECT)
    page.evaluate("localStorage.sounds = 'on'")
    page.reload()
    game = web.new_game(page, "duel", ["open", "me"])
    expect(page.locator(".copy").first).to_be_visible()
    expect(page).to_have_title("Clerestory")
    page.evaluate(COUNT)
    page.evaluate(HIDE)
    sit(other, game)
    expect(page).to_have_title("● The game has begun – Clerestory")
    page.wait_for_function("() => notes > 0")
    assert page.evaluate("notices") == ["The game has begun"]
    page.evaluate(SHOW)
    expect(page).to_have_title("Clerestory")


def test_a_bot_does_not_replace_a_guest_who_sits_down_at_the_same_moment(page: Page) -> None:
    game = web.new_game(page, "duel", ["me", "open"])

    def sit_first(route: Route) -> None:
        web.called(page, "GameService/JoinGame", game_id=game, name="Ann")
        route.continue_()

    page.route("**/SetSeat", sit_first)
    page.get_by_role("button", name="Let a bot play").click()
    expect(page.get_by_role("alert")).to_contain_text("The game has moved on in the meantime")
    seats = web.called(page, "GameService/GetGame", game_id=game, tokens=web.tokens_of(page, game)[:1])["game"]["seats"]
    assert [seat["kind"] for seat in seats] == ["SEAT_KIND_PERSON"] * 2
