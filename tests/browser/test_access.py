"""Accessibility of the page: by keyboard alone, on a phone, in dark mode, with a screen reader."""

from typing import Literal

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser import harness as web
from tests.browser import screens
from tests.browser.axe import violations_by_day_and_night
from tests.browser.positions import LAST_BUILD, nearly_won
from tests.browser.screens import Screen

PHONE: ViewportSize = {"width": 320, "height": 640}
WIDE: ViewportSize = {"width": 1280, "height": 720}


SCREENS = [
    *(screens.lobby, screens.waiting, screens.kept, screens.players, screens.shared, screens.helped, screens.discarded),
    *(screens.past, screens.hinted, screens.studied, screens.resigned),
]


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.__name__)
def test_a_screen_fits_a_narrow_phone_and_axe_finds_nothing_by_day_and_night(page: Page, screen: Screen) -> None:
    screen(page)
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.set_viewport_size(WIDE)
    assert violations_by_day_and_night(page) == []


def test_a_table_on_a_phone_has_large_buttons_the_turn_in_sight_and_the_whole_menu(page: Page) -> None:
    page.set_viewport_size(PHONE)
    screens.kept(page)
    heights = page.eval_on_selector_all(".action", "all => all.map(one => one.getBoundingClientRect().height)")
    assert min(heights) >= 44
    shown = "all => all.filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect().height)"
    assert min(page.eval_on_selector_all("button, .button", shown)) >= 24
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(page.locator(".turn")).to_be_in_viewport()
    expect(page.locator(".turn")).to_have_text("Your turn")
    shown_menu, moves = page.locator(".menu"), page.locator(".log ol li")
    web.logged(page)
    before = moves.count()
    for leave in (lambda: page.keyboard.press("Escape"), lambda: page.mouse.click(20, 400)):
        page.locator(".menu-button").click()
        expect(shown_menu).to_be_visible()
        leave()
        expect(shown_menu).to_be_hidden()
    assert moves.count() == before, "the tap beside the menu has played something"
    web.menu(page, "Help h")
    expect(page.get_by_role("dialog", name="Help")).to_be_visible()


def test_actions_are_found_by_typing_which_hides_none_of_the_next(page: Page) -> None:
    page.goto("/#/study/new/cathedral/2")  # the first card is one of many
    search, actions = page.locator("#search"), page.locator(".action")
    expect(search).to_be_visible()
    expect(page.locator("[data-fresh]")).to_have_count(0)
    page.keyboard.press("/")
    page.keyboard.type("no such thing")
    expect(page.get_by_text("No action contains these words.")).to_be_visible()
    search.fill("prior philip")
    expect(actions).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".log li")).to_contain_text("Prior Philip")
    expect(search).to_have_value("")
    expect(actions.nth(1)).to_be_visible()


def test_keys_are_those_of_any_keyboard_and_can_be_switched_off(page: Page) -> None:
    screens.kept(page)
    page.locator("body").dispatch_event("keydown", {"key": "\u05d9", "code": "KeyH"})  # h on a Hebrew keyboard
    expect(page.get_by_role("dialog", name="Help")).to_be_visible()
    page.get_by_label("Keys are on").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("h")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_game_is_played_in_words_where_seats_differ_without_colour(page: Page) -> None:
    web.start(page, ("me", "bot1", "bot1", "bot1"), "cathedral")
    page.keyboard.press("t")
    expect(page.locator(".players thead .sign")).to_have_count(4)
    signs = page.eval_on_selector_all(".players thead .sign", "all => all.map(one => one.innerHTML)")
    assert len({sign.split()[0] + sign[-30:] for sign in signs}) == 4
    assert len({sign.split()[0] for sign in signs}) >= 3, "circle, rect, path"
    page.locator(".unseen span").evaluate("one => one.dataset.before = ''")
    assert web.play_on(page, 3) == 3
    expect(page.locator(".unseen [data-before]"), "equal news would not be spoken again").to_have_count(0)
    expect(page.locator(".text-board")).to_be_visible()


@pytest.mark.parametrize(("motion", "at"), [("reduce", 0), ("no-preference", 1)])
def test_a_line_plays_automatically_only_with_motion(
    page: Page, motion: Literal["reduce", "no-preference"], at: int
) -> None:
    web.start(page)
    page.emulate_media(reduced_motion=motion)
    web.hinted(page, 1)
    page.clock.install(time=0)
    page.clock.pause_at(3600 * 1000)  # from here on time only passes in `run_for`
    page.locator(".lines tbody button").first.hover()
    steps = page.locator(".shown li")
    expect(steps.nth(1)).to_be_visible()
    expect(steps.first).to_have_class("at")
    page.clock.run_for(1000)
    page.clock.run_for(100)  # completes pending drawing
    expect(steps.nth(at)).to_have_class("at")


# -- the focus -------------------------------------------------------------------------------------


def test_the_focus_is_on_every_screen_that_is_opened_and_its_ring_covers_no_words(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.get_by_role("button", name="Start", exact=True).press("Enter")
    assert web.settled(page)
    expect(page.locator(".turn:focus-visible")).to_have_count(1)
    rings = "all => all.map(one => getComputedStyle(one).outlineStyle)"
    assert page.eval_on_selector_all(".turn, .stands", rings) == ["solid", "none"]
    page.set_viewport_size({"width": 1280, "height": 720})
    page.get_by_role("link", name="Study").press("Enter")
    expect(page.get_by_role("link", name="To the game")).to_be_visible()
    expect(page.locator(":focus")).to_have_count(1)


def test_the_focus_goes_to_the_end_of_a_game_and_to_what_is_answered_there(page: Page) -> None:
    nearly_won(page)
    page.get_by_role("button", name="Start", exact=True).click()
    assert web.settled(page)
    page.locator(LAST_BUILD).press("Enter")
    expect(page.get_by_test_id("winner")).to_be_visible()
    expect(page.locator(":focus")).to_have_count(1)
    check = page.get_by_role("button", name="Check the luck")
    check.press("Enter")
    expect(check).to_have_count(0)
    expect(page.locator(".ending:focus")).to_have_count(1)


def test_the_focus_stays_in_a_list_of_which_one_is_forgotten(page: Page) -> None:
    for _ in range(2):
        web.start(page)
        web.resign(page)
        page.goto("/#/")
    forget = page.get_by_role("button", name="Forget")
    expect(forget).to_have_count(2)
    forget.first.press("Enter")
    expect(forget).to_have_count(1)
    expect(page.locator("section:focus")).to_contain_text("Forget")
