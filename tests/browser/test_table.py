"""Hints, stepping and take-backs: everything at a table except playing and who sees it."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from lab.browser import experienced
from tests.browser.harness import (
    PATIENCE,
    Calls,
    hinted,
    new_game,
    play_on,
    record_of,
    settled,
    start,
    when_held,
)

EXAMPLES = Path(__file__).parents[2] / "examples"


# -- hints -----------------------------------------------------------------------------------------


def test_hints_in_four_steps(page: Page) -> None:
    start(page)
    marked, best, told = page.locator(".action.marked"), page.locator(".action.best"), page.locator(".told")
    expect(told).to_have_count(0)
    page.keyboard.press("?")
    expect(told).to_contain_text("Look at: claim", timeout=PATIENCE)
    expect(best).to_have_count(0)
    assert "%" not in told.locator("> p").last.inner_text()
    page.keyboard.press("?")
    expect(best).to_have_count(1, timeout=PATIENCE)
    expect(marked).to_have_count(1)
    expect(page.locator(".lines")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.locator(".lines tbody tr")).to_have_count(8, timeout=PATIENCE)
    expect(marked).to_have_count(3)
    page.keyboard.press("?")
    expect(told).to_have_count(0)
    expect(marked).to_have_count(0)


def test_the_gauge_adds_up(page: Page) -> None:
    start(page)
    page.get_by_label("Hints ?").select_option("table")
    gauge = page.locator("svg.gauge")
    expect(gauge).to_be_visible(timeout=PATIENCE)
    widths = gauge.locator("rect").evaluate_all("all => all.map(one => Number(one.getAttribute('width')))")
    assert len(widths) == 2
    assert sum(widths) == pytest.approx(100, abs=0.01)
    assert "Red" in (gauge.get_attribute("aria-label") or "")


def test_hints_are_there_on_the_turn_of_somebody_else_and_for_onlookers(page: Page, browser: Browser, url: str) -> None:
    identifier = new_game(page, "duel", ["me", "open"])
    token = Calls(page).keys(identifier)["onlooker"]
    player, onlooker = (experienced(browser, base_url=url).new_page() for _ in range(2))
    player.goto(f"/#/game/{identifier}")
    player.get_by_label("Your name").fill("Ada")
    player.get_by_role("button", name="Sit here").click()
    settled(page)
    onlooker.goto(f"/#/game/{identifier}/watch/{token}")
    for who in (player, onlooker):
        who.get_by_label("Hints ?").select_option("table")
        expect(who.locator(".told")).to_contain_text("What Red may do", timeout=PATIENCE)
        expect(who.locator(".lines tbody tr")).to_have_count(8, timeout=PATIENCE)
    page.get_by_label("Hints ?").select_option("table")
    expect(page.locator(".lines tbody tr").first).to_be_visible(timeout=PATIENCE)
    expect(page.locator(".told")).not_to_contain_text("may do")
    while page.locator(".status.mine").count():
        play_on(page, lambda offered: offered[0], 1)
        expect(page.locator("svg.gauge")).to_be_visible(timeout=PATIENCE)  # it stays from move to move
    expect(page.locator(".told")).to_contain_text("What Ada may do", timeout=PATIENCE)
    player.context.close()
    onlooker.context.close()


BOARD_TEXT = """(() => { const board = document.querySelector('.board');
    return [...board.querySelectorAll('.hint')].reduce(
        (text, hint) => text.replace(hint.textContent, ''), board.textContent); })()"""


def board_text(page: Page) -> str:
    """The text of the board without that of hints, which keeps changing."""
    text: str = page.evaluate(BOARD_TEXT)
    return text


def when_board_shows(page: Page, text: str) -> None:
    """Wait until the board has a text."""
    page.wait_for_function(f"text => {BOARD_TEXT} === text", arg=text)


def test_a_line_is_played_out_in_ghosts_and_stepped_through(page: Page) -> None:
    start(page)
    expect(page.locator(".board .can").first).to_be_visible(timeout=PATIENCE)  # the actions come after the position
    before = board_text(page)
    hinted(page, 2)
    page.locator(".lines tbody button").first.hover()
    ghost, steps = page.locator(".board.ghost"), page.locator(".shown li")
    expect(ghost).to_be_visible(timeout=PATIENCE)
    first = board_text(page)
    assert first != before
    page.mouse.wheel(0, 100)
    expect(steps.nth(1)).to_have_class("at")
    assert board_text(page) != first
    page.locator(".lines tbody button").first.focus()
    page.keyboard.press("ArrowLeft")
    expect(steps.first).to_have_class("at")
    when_board_shows(page, first)
    page.mouse.move(0, 0)
    expect(ghost).to_have_count(0)
    when_board_shows(page, before)


def test_a_line_is_played_out_until_the_pointer_is_moved_off(page: Page) -> None:
    """Only a moving pointer counts: not the page moving under a resting pointer, nor a new table."""
    start(page)
    hinted(page, 600, to_the_end=False)
    page.locator(".lines tbody tr").nth(2).hover()
    ghost, pointed = page.locator(".board.ghost"), page.locator(".lines tr.pointed")
    expect(ghost).to_be_visible(timeout=PATIENCE)
    line = str(pointed.get_attribute("data-line"))
    pointed.evaluate("row => row.addEventListener('pointerleave', () => row.dataset.left = 'yes')")
    page.locator(".more").evaluate("box => { box.style.paddingBottom = '300px'; }")  # however few lines there are
    page.locator(".more").evaluate("box => box.scrollBy(0, box.scrollTop > 100 ? -100 : 100)")
    expect(pointed).to_have_attribute("data-left", "yes")  # the browser believes so
    looked = page.locator(".told .muted").last
    for _ in range(2):
        expect(looked).not_to_have_text(looked.inner_text())  # another table has come
    expect(ghost).to_be_visible()
    expect(pointed).to_have_attribute("data-line", line)
    page.mouse.move(0, 0)
    expect(ghost).to_have_count(0)
    expect(pointed).to_have_count(0)


def test_nothing_moves_in_the_list_of_actions_while_tables_come(page: Page) -> None:
    """Otherwise a person would click something else than intended."""
    start(page)
    expect(page.locator(".drawn")).to_be_visible()
    page.get_by_label("Hints ?").select_option("table")
    places = "all => all.map(one => JSON.stringify(one.getBoundingClientRect())).join()"
    before = page.eval_on_selector_all(".action", places)
    expect(page.locator(".action.best")).to_have_count(1, timeout=PATIENCE)
    assert page.eval_on_selector_all(".action", places) == before
    page.locator(".lines tbody button").first.hover()
    expect(page.locator(".board.ghost")).to_be_visible(timeout=PATIENCE)
    assert page.eval_on_selector_all(".action", places) == before


def test_a_row_and_its_action_point_at_each_other(page: Page) -> None:
    start(page)
    hinted(page, 1)
    action = page.locator(".action").first
    action.hover()
    pointed = page.locator(".lines tr.pointed")
    expect(pointed).to_contain_text(action.locator("span:not(.rank)").inner_text())
    other = page.locator(".lines tbody tr").last
    other.hover()
    expect(page.locator(".action.pointed")).to_have_attribute("data-action", str(other.get_attribute("data-line")))


def test_what_was_pointed_at_is_so_no_longer_once_it_is_played(page: Page) -> None:
    """Though a button that is gone is never left by the pointer."""
    start(page)
    claim = page.locator(".action[data-action^='claim']").first
    claim.dispatch_event("pointerenter")
    expect(page.locator(".cell.in-line")).to_have_count(3)
    claim.press("Enter")
    expect(page.locator(".cell.in-line")).to_have_count(0)


def test_a_state_that_comes_again_does_not_begin_hints_anew(page: Page) -> None:
    start(page)
    hinted(page, 1)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with page.expect_request("**/WatchGame"):
        page.evaluate("dispatchEvent(new Event('online'))")  # the stream is opened once more
    play_on(page, lambda offered: offered[0], 1)  # by now it has told the state
    before_the_move = asked[: next(number for number, one in enumerate(asked) if "PlayAction" in one)]
    assert not [one for one in before_the_move if "Analyze" in one]


def test_a_game_without_hints_has_none(page: Page) -> None:
    page.get_by_text("More options").click()
    page.get_by_label("Hints", exact=True).select_option("1")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_text("This game is played without hints.")).to_be_visible(timeout=PATIENCE)
    expect(page.locator("#hints")).to_be_disabled()


# -- steps and take-backs --------------------------------------------------------------------------


def test_one_can_look_back_and_come_back(page: Page) -> None:
    start(page)
    play_on(page, lambda offered: offered[0], 2)
    settled(page)
    expect(page.locator(".drawn")).to_be_visible()
    board = page.locator(".board")
    now = board.inner_text()
    page.keyboard.press("Home")
    expect(page.get_by_text("You are looking at an earlier moment.")).to_be_visible()
    expect(page.locator(".action")).to_have_count(0)
    expect(page.locator(".turn")).to_have_text("Move 0")
    page.keyboard.press("End")
    expect(page.locator(".action").first).to_be_visible()
    expect(board).to_have_text(now, use_inner_text=True)


def test_what_happened_since_is_told(page: Page) -> None:
    start(page, ("bot1", "me"))
    play_on(page, lambda offered: offered[0], 1)
    settled(page)
    news = page.locator(".log li.news")
    expect(news.first).to_be_visible()
    assert "Blue" not in news.first.inner_text()


def test_a_move_can_be_taken_back(page: Page) -> None:
    start(page)
    moves = page.locator(".log ol li")
    before = moves.count()
    play_on(page, lambda offered: offered[0], 1)
    expect(moves.nth(before)).to_be_attached()
    page.keyboard.press("u")
    expect(moves).to_have_count(before, timeout=PATIENCE)
    assert settled(page)


def test_what_was_revealed_since_cannot_be_taken_back(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "TakeBack" in request.url else None)
    start(page, game="cathedral")
    back = page.get_by_role("button", name="Take back")
    play_on(page, lambda offered: "pass", 1)
    expect(page.locator(".status")).to_contain_text("Keep the builder, or draw again", timeout=PATIENCE)
    assert settled(page)
    expect(back).to_be_disabled()
    page.keyboard.press("u")
    page.keyboard.press("Home")  # by now another call would have begun
    expect(page.get_by_role("button", name="To the present")).to_be_visible()
    assert asked == []


def test_a_key_that_is_held_down_takes_back_once(page: Page) -> None:
    start(page, game="cathedral")
    play_on(page, lambda offered: offered[0], 2)
    settled(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "TakeBack" in request.url else None)
    with page.expect_response("**/TakeBack"):
        page.keyboard.down("u")
    expect(page.get_by_role("button", name="Take back")).to_be_enabled()
    assert settled(page)
    page.keyboard.down("u")
    page.keyboard.up("u")
    page.keyboard.press("Home")  # by now another call would have begun
    expect(page.get_by_role("button", name="To the present")).to_be_visible()
    assert len(asked) == 1


def test_what_one_looks_at_while_it_is_taken_back_does_not_come_up_again(page: Page) -> None:
    start(page)
    play_on(page, lambda offered: offered[0], 1)
    settled(page)
    moves, earlier = page.locator(".log ol li"), page.get_by_text("You are looking at an earlier moment.")
    last = moves.count()
    page.keyboard.press("ArrowLeft")
    expect(earlier).to_be_visible()
    page.keyboard.press("u")
    expect(moves).not_to_have_count(last)
    expect(earlier).to_have_count(0)
    settled(page)
    page.locator(".action").first.click()
    expect(moves.nth(last - 1)).to_be_attached()
    expect(earlier).to_have_count(0)


def test_a_move_is_taken_back_while_it_is_being_played(page: Page) -> None:
    start(page)
    moves = page.locator(".log ol li")
    before = moves.count()
    held: list[Route] = []
    page.route("**/PlayAction", lambda route: held.append(route))
    page.locator(".action").first.click()
    page.keyboard.press("u")
    expect(page.get_by_role("button", name="Taking back…")).to_have_attribute("aria-disabled", "true")
    when_held(page, held).continue_()
    expect(page.get_by_role("button", name="Taking back…")).to_have_count(0, timeout=PATIENCE)
    expect(moves).to_have_count(before, timeout=PATIENCE)
    assert settled(page)
    assert '"by": "red"' not in record_of(page, page.url.rpartition("/")[2])


def test_a_move_is_taken_back_though_a_bot_comes_before(page: Page) -> None:
    start(page)
    moves = page.locator(".log ol li")
    before = moves.count()
    held: list[Route] = []
    page.route("**/TakeBack", lambda route: held.append(route), times=1)
    page.locator(".action").first.click()
    expect(moves).not_to_have_count(before, timeout=PATIENCE)
    page.keyboard.press("u")
    expect(page.locator(".log")).to_contain_text("Perkin", timeout=PATIENCE)  # the bot has moved
    when_held(page, held).continue_()  # it asks for a version that is gone
    expect(moves).to_have_count(before, timeout=PATIENCE)
    assert settled(page)


def test_steps_count_however_fast_they_come(page: Page) -> None:
    identifier = start(page)
    play_on(page, lambda offered: offered[0], 3)
    settled(page)
    steps = page.locator(".steps")
    last = int(steps.inner_text().split("/")[1].split()[0])
    for place in (f"/#/game/{identifier}", f"/#/study/game/{identifier}/{last}"):
        page.goto(place)
        expect(steps).to_contain_text(f"{last} / {last}", timeout=PATIENCE)
        for key in ("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowRight"):
            page.keyboard.press(key)
        expect(steps).to_contain_text(f"{last - 2} / {last}")
        page.keyboard.press("Home")
        page.keyboard.press("End")
        expect(steps).to_contain_text(f"{last} / {last}")
        page.wait_for_load_state("networkidle" if "study" in place else "load")
        expect(steps).to_contain_text(f"{last} / {last}")


def test_two_people_and_a_take_back_that_is_agreed_to(page: Page, browser: Browser, url: str) -> None:
    identifier = new_game(page, "duel", ["me", "open"])
    other = experienced(browser, base_url=url).new_page()
    other.goto(f"/#/game/{identifier}")
    other.get_by_label("Your name").fill("Ada")
    other.get_by_role("button", name="Sit here").click()
    expect(other.locator(".turn")).to_contain_text("Red", timeout=PATIENCE)
    settled(page)
    before = page.locator(".log ol li").count()
    play_on(page, lambda offered: offered[0], 1)
    page.keyboard.press("u")
    expect(other.get_by_text("This takes back: Red: claim")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_role("button", name="Withdraw")).to_have_count(0)
    expect(other.get_by_text("This takes back")).to_have_count(0, timeout=PATIENCE)
    expect(other.get_by_role("alert")).to_have_count(0)
    page.keyboard.press("u")
    other.get_by_role("button", name="Agree").click(timeout=PATIENCE)
    expect(page.locator(".log ol li")).to_have_count(before, timeout=PATIENCE)
    other.context.close()


def test_people_at_one_screen_take_turns(page: Page) -> None:
    start(page, ("me", "here"))
    turns = set()
    for _ in range(3):
        settled(page)
        turns.add(page.locator(".turn").inner_text())
        play_on(page, lambda offered: offered[0], 1)
    assert len(turns) == 2
    page.get_by_role("button", name="Show secrets").click()
    expect(page.get_by_role("button", name="Hide secrets")).to_be_visible()
