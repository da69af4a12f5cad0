"""What a seat has and may do stays in sight, keeps the focus, and is told in words."""

import json
import re
from contextlib import nullcontext
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.harness import PATIENCE, begin, menu, new_game, plan, play_on, settled, start, when_held
from tests.browser.positions import nearly_won

SIZES: list[Any] = [{"width": 1366, "height": 768}, {"width": 390, "height": 844}, {"width": 320, "height": 640}]


@pytest.mark.parametrize("game", ["cathedral", "duel"])
def test_goods_and_actions_are_in_sight_wherever_the_page_is_scrolled(page: Page, game: str) -> None:
    start(page, game=game)
    for size in SIZES:
        page.set_viewport_size(size)
        for place in ("0", "document.body.scrollHeight / 2", "document.body.scrollHeight"):
            page.evaluate(f"scrollTo(0, {place})")
            expect(page.locator(".purse-line.own")).to_be_in_viewport(ratio=1)
            expect(page.locator(".action").first).to_be_in_viewport(ratio=1)
            expect(page.locator(".turn")).to_be_in_viewport(ratio=1)


def test_nothing_jumps_however_long_the_status_is(page: Page) -> None:
    start(page)
    places = """() => ['.status', '.middle', '.actions', '.more'].map(
        name => JSON.stringify(document.querySelector(name).getBoundingClientRect()))"""
    for size in SIZES:
        page.set_viewport_size(size)
        page.reload()  # and all that was changed is gone
        expect(page.locator(".drawn")).to_be_visible(timeout=PATIENCE)
        settled(page)
        before = page.evaluate(places)
        page.locator(".stands p").evaluate("line => { line.textContent = 'Long words. '.repeat(60); }")
        page.locator(".turn").evaluate("line => { line.textContent = 'Somebody with a long name '.repeat(9); }")
        assert page.evaluate(places) == before, size
        page.locator(".actions").evaluate("list => list.replaceChildren()")  # it is another's turn
        assert page.evaluate(places) == before, size


def test_nothing_jumps_when_something_is_said_beside_the_actions(page: Page) -> None:
    """Whoever goes back through a game finds the button for the next step where it was."""
    start(page, game="cathedral")
    places = """() => ['.purse-line', '.seat'].flatMap(name => {
        const {x, y, width, height} = document.querySelector(name).getBoundingClientRect();
        return [x, y, width, height]; })"""
    back, earlier = page.get_by_label("One back"), page.get_by_text("You are looking at an earlier moment.")
    expect(page.locator(".drawn")).to_be_visible()
    for size in SIZES[:2]:
        page.set_viewport_size(size)
        back.scroll_into_view_if_needed()
        before = page.evaluate(places)
        back.click()
        expect(earlier).to_be_visible()
        assert page.evaluate(places) == pytest.approx(before, abs=1), size
        page.keyboard.press("End")
        expect(earlier).to_have_count(0)


@pytest.mark.parametrize("size", SIZES[:2], ids=lambda size: str(size["width"]))
def test_the_board_stays_where_it_is_while_one_goes_through_the_actions_by_keyboard(page: Page, size: Any) -> None:
    page.set_viewport_size(size)
    start(page, game="cathedral")
    expect(page.locator(".drawn")).to_be_visible()
    page.evaluate("scrollTo(0, 200)")
    page.keyboard.press("a")
    for _ in range(4):
        page.keyboard.press("Tab")
    expect(page.locator(".action").nth(4)).to_be_focused()
    assert page.evaluate("scrollY") == 200
    page.locator(".log .steps button").first.focus()
    bottom = "name => document.querySelector(name).getBoundingClientRect().bottom"
    sheet = page.evaluate("document.querySelector('.seat').getBoundingClientRect().top")
    assert size != SIZES[1] or page.evaluate(bottom, ".log .steps button") <= sheet, "it lies behind the sheet"


def test_the_focus_stays_with_the_actions(page: Page) -> None:
    start(page)
    page.keyboard.press("a")
    for _ in range(5):
        assert settled(page)
        plan(page)
        page.locator(".action").first.focus()
        page.keyboard.press("Enter")
        expect(page.locator(".actions:focus")).to_have_count(1, timeout=PATIENCE)


def test_one_announcement_a_move_says_who_did_what(page: Page) -> None:
    start(page)
    said = """() => { window.said = [];
        const told = document.querySelector('p[aria-live]');
        new MutationObserver(() => window.said.push(told.textContent))
            .observe(told, {characterData: true, childList: true, subtree: true}); }"""
    page.evaluate(said)
    action = page.locator(".action").first
    label = action.inner_text()
    action.click()
    page.wait_for_function("label => window.said.some(one => one.startsWith(`Red: ${label}`))", arg=label)
    settled(page)
    page.wait_for_function("window.said.at(-1).endsWith('Your turn.')")
    told = page.evaluate("window.said")
    assert len(told) == len(set(told))


def test_the_end_is_announced_too(page: Page) -> None:
    nearly_won(page)
    begin(page)
    assert settled(page)
    announced = page.locator("p.unseen[aria-live]")
    page.locator('.action[data-action="build III brick"]').click()
    expect(announced).to_contain_text(re.compile("^Red: .*Red wins$"), timeout=PATIENCE)
    page.goto("/#/")
    start(page)
    menu(page, "Players")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Yes, resign").click()
    expect(announced).to_have_text("Red resigned. Perkin wins", timeout=PATIENCE)


def test_a_second_click_on_new_actions_plays_nothing(page: Page) -> None:
    """Whoever clicks twice means the first place once, not also what has come to lie there."""
    start(page)
    played: list[str] = []
    page.on("request", lambda asked: played.append(asked.url) if "PlayAction" in asked.url else None)
    page.evaluate(
        """() => new MutationObserver(() => document.querySelector('.actions[data-fresh] .action')?.click())
            .observe(document.body, {subtree: true, childList: true, attributes: true})"""
    )
    play_on(page, lambda offered: offered[0], 3)
    assert len(played) == 3


def test_the_others_move_at_a_pace_that_can_be_followed_and_skipped(page: Page) -> None:
    start(page)
    page.evaluate("localStorage.setItem('pace', '60000')")
    page.reload()
    settled(page)
    page.locator(".action").first.click()
    expect(page.get_by_text("The others are moving.")).to_be_visible(timeout=PATIENCE)
    shown = page.locator(".log ol li").count()
    page.keyboard.press("s")
    expect(page.get_by_text("The others are moving.")).to_have_count(0)
    expect(page.locator(".log ol li").nth(shown)).to_be_attached()
    assert settled(page)


def test_what_happened_since_is_shown_again(page: Page) -> None:
    start(page, ("me", "bot1"), "cathedral")
    play_on(page, lambda offered: offered[-1], 1)
    settled(page)
    held: list[Route] = []
    page.route("**/GetGame", lambda route: held.append(route), times=1)  # or it might be over before it is looked for
    page.keyboard.press("r")
    expect(page.get_by_text("You are looking at an earlier moment.")).to_be_visible(timeout=PATIENCE)
    when_held(page, held).continue_()
    expect(page.locator(".status.mine")).to_be_visible(timeout=PATIENCE)


WATCH_FIGURES = """() => {
  window.told = [];
  const look = () => window.told.push(...[...document.querySelectorAll(".by")].map(one => one.textContent));
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}"""


def test_changed_figures_say_by_how_much(page: Page) -> None:
    start(page, ("me", "bot1"), "cathedral")
    page.evaluate(WATCH_FIGURES)
    play_on(page, lambda offered: next((one for one in offered if one.startswith("hire")), offered[0]), 4)
    page.wait_for_function("window.told.length > 0")
    told = page.evaluate("window.told")
    assert all(re.fullmatch(r"[+\u2212]\d+", one) for one in told)


def test_broken_addresses_show_the_lobby(page: Page) -> None:
    for address in ("#/%", "#/nowhere/at/all", "#/game", "#/toString/at/all"):
        page.goto(f"/{address}")
        page.reload()
        expect(page.get_by_text("This address leads nowhere.")).to_be_visible()
        expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()


# The 80 ms in which other windows answer are too few where a machine is busy.
PATIENT = """const soon = setTimeout;
    globalThis.setTimeout = (run, wait, ...more) => soon(run, wait === 80 ? 1000 : wait, ...more);"""


def test_many_windows_leave_connections_for_calls(page: Page) -> None:
    """A browser opens six connections to a host: with a stream in each window, the seventh could not even load."""
    identifier = new_game(page, "duel", ["me", "bot1"])
    settled(page)
    page.context.add_init_script(PATIENT)
    others = [page.context.new_page() for _ in range(6)]
    for number, other in enumerate(others):
        with other.expect_request("**/WatchGame") if number < 2 else nullcontext():
            other.goto(f"/#/game/{identifier}")
    for number, other in enumerate(others):
        assert settled(other)
        looks = other.get_by_text("this one looks every three seconds")
        expect(looks).to_have_count(0 if number < 2 else 1, timeout=PATIENCE)
    play_on(others[-1], lambda offered: offered[0], 1)
    ply = json.loads(str(others[-1].locator("[data-version]").get_attribute("data-version")))
    page.wait_for_function("ply => Number(document.querySelector('[data-version]').dataset.version) >= ply", arg=ply)
