"""Accessibility of the page: by keyboard alone, on a phone, in dark mode, with a screen reader."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser import harness
from tests.browser.harness import (
    PATIENCE,
    act_by_keyboard,
    begin,
    logged,
    menu,
    new_game,
    play_on,
    played_through,
    record_of,
    settled,
)
from tests.browser.positions import about_to

ROOT = Path(__file__).parents[2]
AXE = (ROOT / "clients" / "web" / "node_modules" / "axe-core" / "axe.min.js").read_text()
RULES = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']"
OF_COLOURS = "['color-contrast', 'link-in-text-block']"  # all others ask for what is the same by night


def lobby(page: Page) -> None:
    page.get_by_text("More options").click()


def kept(page: Page) -> None:
    new_game(page, "cathedral", ["me", "bot1", "bot1", "bot1"])
    settled(page)


def hinted(page: Page) -> None:
    new_game(page, "duel", ["me", "bot1"])
    settled(page)
    harness.hinted(page, 1)


def shared(page: Page) -> None:
    kept(page)
    menu(page, "Share")


def people(page: Page) -> None:
    kept(page)
    menu(page, "Players")


def helped(page: Page) -> None:
    kept(page)
    page.keyboard.press("h")
    expect(page.get_by_role("dialog", name="Help")).to_be_visible()


def studied(page: Page) -> None:
    page.goto("/#/study/new/cathedral/4")
    page.get_by_role("button", name="Draw", exact=True).click()
    expect(page.get_by_role("button", name="Draw", exact=True)).to_have_count(0, timeout=PATIENCE)


def waiting(page: Page) -> None:
    new_game(page, "duel", ["me", "open"])
    expect(page.get_by_role("button", name="Sit here")).to_be_visible()


def planned(page: Page) -> None:
    about_to(page, "convert")
    begin(page)
    settled(page)
    expect(page.locator(".planning")).to_be_visible()


def ended(page: Page) -> None:
    new_game(page, "duel", ["me", "bot1"])
    settled(page)
    menu(page, "Players")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Yes, resign").click()
    page.get_by_role("button", name="Check this game").click(timeout=PATIENCE)
    expect(page.get_by_text("Checked: ")).to_be_visible()


def past(page: Page) -> None:
    new_game(page, "duel", ["me", "bot1"])
    settled(page)
    logged(page)
    page.keyboard.press("Home")
    expect(page.get_by_text("You are looking at an earlier moment.")).to_be_visible()


SCREENS = [lobby, kept, hinted, shared, people, helped, studied, waiting, planned, ended, past]
PHONE: ViewportSize = {"width": 320, "height": 640}
WIDE: ViewportSize = {"width": 1280, "height": 720}


def violations(page: Page, rules: str = RULES) -> list[str]:
    """The violations found by axe-core, each with the first element."""
    page.evaluate(f"() => {{ if (!window.axe) {{ {AXE} }} }}")
    options = f"{{runOnly: {rules}, resultTypes: ['violations']}}"
    found = page.evaluate(f"async () => (await axe.run(document, {options})).violations")
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]} {one['nodes'][0]['failureSummary'][:200]}" for one in found]


def violations_by_day_and_night(page: Page) -> list[str]:
    """The same in both schemes of colours."""
    by_day = violations(page)
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    return [*by_day, *violations(page, OF_COLOURS)]


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.__name__)
def test_a_screen_fits_a_narrow_phone_and_axe_finds_nothing_by_day_and_night(
    page: Page, screen: Callable[[Page], None]
) -> None:
    page.set_viewport_size(PHONE)
    screen(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.set_viewport_size(WIDE)
    assert violations_by_day_and_night(page) == []


def test_axe_would_find_something(page: Page) -> None:
    expect(page.locator("h1")).to_be_visible()
    page.evaluate("document.body.append(Object.assign(document.createElement('button'), {style: ''}))")
    assert any("button-name" in one for one in violations(page))
    page.evaluate("Object.assign(document.querySelector('h1').style, {color: '#777', background: '#666'})")
    assert any("color-contrast" in one for one in violations(page, OF_COLOURS))


def test_a_table_on_a_phone(page: Page) -> None:
    """What is pressed is large enough, the turn stays on the screen, and the whole menu can be reached."""
    page.set_viewport_size(PHONE)
    kept(page)
    heights = page.eval_on_selector_all(".action", "all => all.map(one => one.getBoundingClientRect().height)")
    assert min(heights) >= 44
    shown = "all => all.filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect().height)"
    others = page.eval_on_selector_all("button, .button", shown)
    assert min(others) >= 24
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(page.locator(".turn")).to_be_in_viewport()
    expect(page.locator(".turn")).to_have_text("Your turn")
    menu(page, "Help h")
    expect(page.get_by_role("dialog", name="Help")).to_be_visible()


@pytest.mark.parametrize("moves", [6, pytest.param(10_000, marks=pytest.mark.slow)], ids=["begun", "whole"])
def test_a_game_by_keyboard_alone(page: Page, moves: int) -> None:
    """From the lobby, on to the end of the game: no key but Tab, Shift, Enter, space, arrows and letters."""
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()
    page.keyboard.press("Tab")
    for _ in range(20):
        if page.evaluate("document.activeElement?.type") == "radio":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")  # the other game
    page.keyboard.press("Enter")
    page.wait_for_url("**/#/game/*")
    identifier = page.url.rpartition("/")[2]
    made = 0
    while made < moves and settled(page):
        act_by_keyboard(page)
        made += 1
    assert played_through(record_of(page, identifier)).over == (made < moves)


def test_words_searched_for_hide_nothing_after_a_move(page: Page) -> None:
    page.goto("/#/study/new/cathedral/2")
    page.locator("#search").fill("no such thing")
    expect(page.get_by_text("No action has these words.")).to_be_visible()
    page.locator("#search").fill("prior philip")
    expect(page.locator(".action")).to_have_count(1)
    expect(page.locator("[data-fresh]")).to_have_count(0)
    page.locator(".action").click()
    expect(page.locator(".steps")).to_contain_text("1 / ")
    expect(page.locator("#search")).to_have_value("")
    expect(page.locator(".action").nth(1)).to_be_visible()


def test_actions_are_found_by_typing(page: Page) -> None:
    page.goto("/#/study/new/cathedral/2")  # what comes up first is one of many cards
    expect(page.locator("#search")).to_be_visible(timeout=PATIENCE)
    page.keyboard.press("/")
    page.keyboard.type("prior philip")
    expect(page.locator(".action")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".log li")).to_contain_text("Prior Philip", timeout=PATIENCE)


def test_whoever_resigns_is_asked_once_more_so_that_it_is_heard(page: Page) -> None:
    people(page)
    page.get_by_role("button", name="Resign").click()
    expect(page.get_by_role("alert")).to_contain_text("Yes, resign")


def test_keys_can_be_switched_off(page: Page) -> None:
    helped(page)
    page.get_by_label("Keys are on").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("h")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_seats_are_told_apart_without_colour(page: Page) -> None:
    kept(page)
    page.keyboard.press("t")  # in words
    expect(page.locator(".players thead .sign")).to_have_count(4)
    signs = page.eval_on_selector_all(".players thead .sign", "all => all.map(one => one.innerHTML)")
    assert len(signs) == len({sign.split()[0] + sign[-30:] for sign in signs}) == 4
    assert len({sign.split()[0] for sign in signs}) >= 3  # circle, rect, path


def at(page: Page) -> int:
    """The number of the move currently shown of the line that is played out."""
    found: int = page.evaluate("[...document.querySelectorAll('.shown li')].findIndex(one => one.className === 'at')")
    return found


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_line_goes_on_by_itself_only_with_motion(page: Page, motion: Literal["reduce", "no-preference"]) -> None:
    page.emulate_media(reduced_motion=motion)
    hinted(page)
    page.clock.install(time=0)
    page.clock.pause_at(3600 * 1000)  # from here only `run_for` lets time pass, however busy the machine is
    page.locator(".lines tbody button").first.hover()
    expect(page.locator(".shown li").nth(1)).to_be_visible(timeout=PATIENCE)
    assert at(page) == 0
    page.clock.run_for(1000)
    page.clock.run_for(100)  # what was to be drawn is drawn
    expect(page.locator(".shown li").nth(0 if motion == "reduce" else 1)).to_have_class("at", timeout=PATIENCE)
    assert at(page) == (0 if motion == "reduce" else 1)


def test_the_page_plays_in_words_as_well(page: Page) -> None:
    kept(page)
    page.keyboard.press("t")
    expect(page.locator(".text-board")).to_be_visible()
    assert play_on(page, lambda offered: offered[0], 3) == 3


def test_the_options_of_a_new_game_stand_one_below_the_other(page: Page) -> None:
    page.get_by_text("More options").click()
    tops = page.locator("form details > label").evaluate_all("all => all.map(one => one.getBoundingClientRect().top)")
    assert len(tops) > 3
    assert sorted(set(tops)) == tops
