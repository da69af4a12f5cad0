"""Games played by keyboard alone in every language: Tab, arrows, Enter, space and letters of its keyboard."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, expect

from clerestory.i18n.languages import LANGUAGES
from tests.browser import harness as web
from tests.browser.positions import about_to
from tools.lab.browser import experienced

LETTERS = {"he": {"a": "ש"}}  # what a key says where it does not say what is printed on an English keyboard
WHOLE = 10_000  # moves: more than any game has
FOCUSED = "document.activeElement.matches({!r})"
MORE = ".planning .stepper button:nth-of-type(2):not([aria-disabled='true'])"
TABS = 60  # more than a table has


@pytest.fixture
def spoken(browser: Browser, url: str) -> Iterator[Callable[[str], Page]]:
    """Opens the lobby in a language."""
    with ExitStack() as stack:

        def opened(language: str) -> Page:
            context = experienced(browser, base_url=url, reduced_motion="reduce", locale=language)
            return stack.enter_context(web.open_tab(context))

        yield opened


def press_letter(page: Page, letter: str, language: str) -> None:
    """Press a key that has a letter, on a keyboard of a language."""
    printed = LETTERS.get(language, {}).get(letter, letter)
    keyboard = page.context.new_cdp_session(page)
    for kind in ("keyDown", "keyUp"):
        event = {"type": kind, "key": printed, "code": f"Key{letter.upper()}"}
        keyboard.send("Input.dispatchKeyEvent", event)
    keyboard.detach()


def go_to(page: Page, selector: str) -> None:
    """Press Tab until the focus is on an element."""
    for _ in range(TABS):
        if page.evaluate(FOCUSED.format(selector)):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{TABS} times Tab do not reach {selector}")


def begin(page: Page, game: str) -> str:
    """Choose a game of two against the weakest bot and start it; return its identifier."""
    expect(page.locator("form")).to_be_visible()
    page.keyboard.press("Tab")
    go_to(page, "input[name=game]")
    if game == "duel":
        page.keyboard.press("ArrowDown")
    else:
        go_to(page, "input[name=players]")
        page.keyboard.press("ArrowUp")
    go_to(page, ".seats li:nth-of-type(2) select, .seats select:nth-of-type(2)")
    for _ in range(3):
        page.keyboard.press("ArrowUp")  # from level 4
    page.keyboard.press("Enter")
    go_to(page, "form button[type=submit]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/#/game/*")
    return page.url.rpartition("/")[2]


def choose(page: Page, language: str, down: int) -> None:
    """Play an action some places below the first; where goods must be planned first, plan them."""
    before = web.version_of(page)
    while page.locator(web.UNPLANNED).count():
        go_to(page, MORE)
        page.keyboard.press("Enter")
        page.locator(".planning[aria-busy='false']").wait_for()
    press_letter(page, "a", language)
    for _ in range(down):
        page.keyboard.press("ArrowDown")
    if not page.evaluate(FOCUSED.format(".action")):
        go_to(page, ".action:not([aria-disabled='true'])")  # past the numbers of a plan
    page.keyboard.press("Space" if down else "Enter")
    web.wait_for_change(page, before)


@pytest.mark.parametrize("moves", [6, pytest.param(WHOLE, marks=pytest.mark.slow)], ids=["begun", "whole"])
@pytest.mark.parametrize("game", ["cathedral", "duel"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_game_is_played_by_keyboard_alone(
    spoken: Callable[[str], Page], language: str, game: str, moves: int
) -> None:
    page = spoken(language)
    identifier = begin(page, game)
    made = 0
    while made < moves and web.settled(page):
        choose(page, language, made % 3)
        made += 1
        assert not page.evaluate(FOCUSED.format("body")), f"no focus after {made} moves"
    assert web.played_through(web.record_of(page, identifier)).over == (made < moves)


def test_arrows_go_through_the_actions_and_stop_at_the_ends(page: Page) -> None:
    about_to(page, "hire")
    web.begin(page)
    actions = page.locator(".action")
    names = actions.evaluate_all("all => all.map(one => one.dataset.action)")
    page.keyboard.press("a")
    for key, expected in [("ArrowUp", 0), ("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1)]:
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.dataset.action") == names[expected]
    for _ in names:
        page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.action") == names[-1]


@pytest.mark.parametrize(("language", "back", "on"), [("en", "Left", "Right"), ("he", "Right", "Left")])
def test_arrows_step_through_the_game_as_the_language_is_read(
    spoken: Callable[[str], Page], language: str, back: str, on: str
) -> None:
    page = spoken(language)
    begin(page, "duel")
    web.settled(page)
    choose(page, language, 0)
    web.settled(page)
    web.logged(page)
    steps = page.locator(".steps span").first
    before = steps.inner_text()
    page.keyboard.press(f"Arrow{back}")
    expect(steps).not_to_have_text(before)
    page.keyboard.press(f"Arrow{on}")
    expect(steps).to_have_text(before)
