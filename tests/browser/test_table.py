"""Hints, stepping and take-backs: everything at a table except playing and access."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import harness as web
from tests.browser.positions import begin_at, mixer_or_mason
from tests.browser.tables import ANALYZE, Lines, change_tables
from tests.engine.cathedral.scenes import changed, fields, reach
from tools.lab.browser import experienced

EARLIER = "You are looking at an earlier moment."
LINES = ".lines tbody tr"

# -- hints -----------------------------------------------------------------------------------------


def ask_for_hints(page: Page) -> None:
    page.get_by_label("Hints ?").select_option("table")


def test_hints_in_four_steps(page: Page) -> None:
    web.start(page)
    marked, best, told = page.locator(".action.marked"), page.locator(".action.best"), page.locator(".told")
    expect(told).to_have_count(0)
    page.keyboard.press("?")
    expect(told).to_contain_text("Look at: claim")
    expect(best).to_have_count(0)
    assert "%" not in told.locator("> p").last.inner_text()
    page.keyboard.press("?")
    expect(best).to_have_count(1)
    expect(marked).to_have_count(1)
    expect(page.locator(".lines")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.locator(LINES)).to_have_count(8)
    expect(marked).to_have_count(3)
    expect(page.locator(".figures tbody tr").first).to_contain_text("gold")
    expect(page.locator(".figures td").first).to_contain_text("±")
    gauge = page.locator("svg.gauge")
    expect(gauge).to_be_visible()
    widths = gauge.locator("rect").evaluate_all("all => all.map(one => Number(one.getAttribute('width')))")
    assert len(widths) == 2
    assert sum(widths) == pytest.approx(100, abs=0.01)
    assert "Red" in (gauge.get_attribute("aria-label") or "")
    page.keyboard.press("?")
    expect(told).to_have_count(0)
    expect(marked).to_have_count(0)


def test_hints_are_there_on_the_turn_of_somebody_else_and_for_onlookers(
    page: Page, other: Page, browser: Browser, url: str
) -> None:
    identifier = web.new_game(page, "duel", ["me", "open"])
    token = web.keys_of(page, identifier)["onlooker"]
    other.goto(f"/#/game/{identifier}")
    other.get_by_label("Your name").fill("Ada")
    other.get_by_role("button", name="Sit here").click()
    web.settled(page)
    with web.open_tab(experienced(browser, base_url=url)) as onlooker:
        onlooker.goto(f"/#/game/{identifier}/watch/{token}")
        for tab in (other, onlooker):
            ask_for_hints(tab)
            expect(tab.locator(".told")).to_contain_text("What Red may do")
            expect(tab.locator(LINES)).to_have_count(8)
    ask_for_hints(page)
    expect(page.locator(LINES).first).to_be_visible()
    expect(page.locator(".told")).not_to_contain_text("may do")
    while page.locator(".status.mine").count():
        web.play_on(page, 1)
        expect(page.locator("svg.gauge")).to_be_visible()  # it stays from move to move
    expect(page.locator(".told")).to_contain_text("What Ada may do")


def test_a_line_names_the_round_of_a_craftsman_whose_name_another_one_has(page: Page) -> None:
    mixer_or_mason(page)
    web.begin(page)
    ask_for_hints(page)
    lines = page.locator(LINES)
    for number in (1, 2):
        expect(lines.filter(has_text=f"dismiss the Mason of round {number}")).to_have_count(1)
    expect(lines.filter(has_text="Carpenter")).not_to_contain_text("of round")


# The text of the board without that of hints, which keeps changing.
BOARD_TEXT = """(() => { const board = document.querySelector('.board');
    return [...board.querySelectorAll('.hint')].reduce(
        (text, hint) => text.replace(hint.textContent, ''), board.textContent); })()"""


def when_board_shows(page: Page, text: str) -> None:
    page.wait_for_function(f"text => {BOARD_TEXT} === text", arg=text)


def test_a_line_is_played_out_in_ghosts_and_stepped_through(page: Page) -> None:
    web.start(page)
    expect(page.locator(".board .can").first).to_be_visible()  # the actions appear after the position
    before = page.evaluate(BOARD_TEXT)
    web.hinted(page, 2)
    line = page.locator(".lines tbody button").first
    line.hover()
    ghost, steps = page.locator(".board.ghost"), page.locator(".shown li")
    expect(ghost).to_be_visible()
    movers = steps.locator(".unseen").all_text_contents()
    assert len(movers) == steps.count() > 1
    assert all(re.fullmatch(r"\w+: ", name) for name in movers)
    first = page.evaluate(BOARD_TEXT)
    assert first != before
    page.mouse.wheel(0, 100)
    expect(steps.nth(1)).to_have_class("at")
    assert page.evaluate(BOARD_TEXT) != first
    line.focus()
    page.keyboard.press("ArrowLeft")
    expect(steps.first).to_have_class("at")
    when_board_shows(page, first)
    page.mouse.move(0, 0)
    expect(ghost).to_have_count(0)
    when_board_shows(page, before)


def test_a_line_is_played_out_until_the_pointer_is_moved_off(page: Page) -> None:
    """Only a moving pointer counts: not the page moving under a resting pointer, nor a new table."""
    web.start(page)
    web.hinted(page, 600, to_the_end=False)
    page.locator(LINES).nth(2).hover()
    ghost, pointed = page.locator(".board.ghost"), page.locator(".lines tr.pointed")
    expect(ghost).to_be_visible()
    line = str(pointed.get_attribute("data-line"))
    pointed.evaluate("row => row.addEventListener('pointerleave', () => row.dataset.left = 'yes')")
    page.locator(".more").evaluate("box => { box.style.paddingBottom = '300px'; }")  # for any number of lines
    page.locator(".more").evaluate("box => box.scrollBy(0, box.scrollTop > 100 ? -100 : 100)")
    expect(pointed).to_have_attribute("data-left", "yes")  # the browser agrees
    looked = page.locator(".told .muted").last
    for _ in range(2):
        expect(looked).not_to_have_text(looked.inner_text())  # another table has arrived
    expect(ghost).to_be_visible()
    expect(pointed).to_have_attribute("data-line", line)
    page.mouse.move(0, 0)
    expect(ghost).to_have_count(0)
    expect(pointed).to_have_count(0)


def test_tables_move_no_action_and_a_row_and_its_action_point_at_each_other(page: Page) -> None:
    """Otherwise a user would click something else than intended."""
    web.store(page, {"hint-seconds": 1})
    web.start(page)
    web.drawn(page)
    ask_for_hints(page)
    places = "all => all.map(one => JSON.stringify(one.getBoundingClientRect())).join()"
    before = page.eval_on_selector_all(".action", places)
    expect(page.locator(".action.best")).to_have_count(1)
    assert page.eval_on_selector_all(".action", places) == before
    page.locator(".lines tbody button").first.hover()
    expect(page.locator(".board.ghost")).to_be_visible()
    assert page.eval_on_selector_all(".action", places) == before
    expect(page.locator(".told")).to_contain_text("longer searches")  # the last table
    page.mouse.move(0, 0)
    expect(page.locator(".board.ghost")).to_have_count(0)
    action, last = page.locator(".action").first, page.locator(LINES).last
    action.hover()
    pressed = str(action.get_attribute("data-action"))
    expect(page.locator(".lines tr.pointed")).to_have_attribute("data-line", pressed)
    last.hover()
    expect(page.locator(".action.pointed")).to_have_attribute("data-action", str(last.get_attribute("data-line")))


def test_an_action_is_not_highlighted_after_it_is_played(page: Page) -> None:
    """The pointer never leaves a button that has been removed."""
    web.start(page)
    claim = page.locator(".action[data-action^='claim']").first
    claim.dispatch_event("pointerenter")
    expect(page.locator(".cell.in-line")).to_have_count(3)
    claim.press("Enter")
    expect(page.locator(".cell.in-line")).to_have_count(0)


def test_a_repeated_state_does_not_restart_hints(page: Page) -> None:
    web.start(page)
    web.hinted(page, 1)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    with page.expect_request("**/WatchGame"):
        page.evaluate("dispatchEvent(new Event('online'))")  # reopens the stream
    web.play_on(page, 1)  # by then it has sent the state
    assert "Analyze" not in asked[: asked.index("PlayAction")]


def test_a_game_without_hints_has_none(page: Page) -> None:
    page.get_by_text("More options").click()
    page.get_by_label("Hints", exact=True).select_option("1")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_text("This game is played without hints.")).to_be_visible()
    expect(page.locator("#hints")).to_be_disabled()


# -- steps and take-backs --------------------------------------------------------------------------


def test_one_can_look_back_and_come_back(page: Page) -> None:
    web.start(page, ("bot1", "me"))
    web.play_on(page, 2)
    web.settled(page)
    news = page.locator(".log li.news").first
    expect(news).to_be_visible()  # changes since then
    assert not news.inner_text().startswith("Blue"), "it begins after one's own move"
    web.drawn(page)
    board = page.locator(".board")
    now = board.inner_text()
    page.keyboard.press("Home")
    expect(page.get_by_text(EARLIER)).to_be_visible()
    expect(page.locator(".action")).to_have_count(0)
    expect(page.locator(".turn")).to_have_text("Move 0")
    page.keyboard.press("End")
    expect(page.locator(".action").first).to_be_visible()
    expect(board).to_have_text(now, use_inner_text=True)


def test_a_key_that_is_held_down_takes_back_once_and_never_what_was_revealed_since(page: Page) -> None:
    web.start(page, game="cathedral")
    back, present = page.get_by_role("button", name="Take back"), page.get_by_role("button", name="To the present")
    calls = web.calls_to(page, "TakeBack")
    web.play_on(page, 2)
    web.settled(page)
    with page.expect_response("**/TakeBack"):
        page.keyboard.down("u")
    expect(back).to_be_enabled()
    assert web.settled(page)
    page.keyboard.down("u")
    page.keyboard.up("u")
    page.keyboard.press("Home")  # another call would have begun by then
    expect(present).to_be_visible()
    assert len(calls) == 1
    page.keyboard.press("End")
    while "Keep the builder" not in page.locator(".status").inner_text():
        web.play_on(page, 1, lambda offered: "pass")
        web.settled(page)
    expect(back).to_be_disabled()
    page.keyboard.press("u")
    page.keyboard.press("Home")
    expect(present).to_be_visible()
    assert len(calls) == 1


def test_a_viewed_moment_that_is_taken_back_does_not_return(page: Page) -> None:
    web.start(page)
    moves, earlier = page.locator(".log ol li"), page.get_by_text(EARLIER)
    before = moves.count()
    web.play_on(page, 1)
    web.settled(page)
    last = moves.count()
    page.keyboard.press("ArrowLeft")
    expect(earlier).to_be_visible()
    page.keyboard.press("u")
    expect(moves).to_have_count(before)
    expect(earlier).to_have_count(0)
    web.settled(page)
    page.locator(".action").first.click()
    expect(moves.nth(last - 1)).to_be_attached()
    expect(earlier).to_have_count(0)


def test_a_move_is_taken_back_while_it_is_being_played(page: Page) -> None:
    identifier = web.start(page)
    moves, taking = page.locator(".log ol li"), page.get_by_role("button", name="Taking back…")
    before = moves.count()
    held = web.hold(page, "PlayAction")
    action = page.locator(".action").first
    action.click()
    expect(action).to_have_attribute("aria-disabled", "true")  # at once, before any answer
    page.keyboard.press("u")
    expect(taking).to_have_attribute("aria-disabled", "true")
    web.when_held(page, held).continue_()
    expect(taking).to_have_count(0)
    expect(moves).to_have_count(before)
    assert web.settled(page)
    assert '"by": "red"' not in web.record_of(page, identifier)


def test_a_move_is_taken_back_though_a_bot_comes_before(page: Page) -> None:
    web.start(page)
    moves = page.locator(".log ol li")
    before = moves.count()
    takes = web.hold(page, "TakeBack", times=1)
    with web.held_back(page, "WatchGame") as streams:  # delays the bot's move until after the key press
        page.reload()
        web.settled(page)
        web.when_held(page, streams)
        page.locator(".action").first.click()
        expect(moves).not_to_have_count(before)
        page.keyboard.press("u")
        web.when_held(page, takes)
    expect(page.locator(".log")).to_contain_text("Perkin")
    takes[0].continue_()  # it requests a version that is gone
    expect(moves).to_have_count(before)
    assert web.settled(page)


def test_steps_count_however_fast_they_come(page: Page) -> None:
    identifier = web.start(page)
    web.play_on(page, 3)
    web.settled(page)
    steps = page.locator(".steps")
    last = int(steps.inner_text().split("/")[1].split()[0])
    for place in (f"/#/game/{identifier}", f"/#/study/game/{identifier}/{last}"):
        page.goto(place)
        expect(steps).to_contain_text(f"{last} / {last}")
        for key in ("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowRight"):
            page.keyboard.press(key)
        expect(steps).to_contain_text(f"{last - 2} / {last}")
        page.keyboard.press("Home")
        page.keyboard.press("End")
        expect(steps).to_contain_text(f"{last} / {last}")
        page.wait_for_load_state("networkidle" if "study" in place else "load")
        expect(steps).to_contain_text(f"{last} / {last}")


def test_people_at_one_screen_take_turns(page: Page) -> None:
    web.start(page, ("me", "here"))
    turns = set()
    for _ in range(3):
        web.settled(page)
        turns.add(page.locator(".turn").inner_text())
        web.play_on(page, 1)
    assert len(turns) == 2
    page.get_by_role("button", name="Show secrets").click()
    expect(page.get_by_role("button", name="Hide secrets")).to_be_visible()


# -- the table of hints ----------------------------------------------------------------------------


def begun(page: Page) -> Page:
    page.evaluate("localStorage.setItem('hint-seconds', '1')")
    page.reload()
    web.start(page)
    return page


def ask_anew(page: Page, change: Callable[[Lines], None]) -> None:
    """Wait for the last table of another search, with its lines changed."""
    page.unroute(ANALYZE)
    change_tables(page, change)
    hints = page.get_by_label("Hints ?")
    hints.select_option("off")
    expect(page.locator(".told")).to_have_count(0)
    hints.select_option("table")
    expect(page.locator(".told")).to_contain_text("of longer searches would say the same")


def test_the_board_counts_in_the_order_of_the_table(page: Page) -> None:
    """That is the order of the service, for any shares. Doubtful shares are omitted."""
    begun(page)
    for higher, sure in ((1, 2), (5, 3)):

        def change(lines: Lines, higher: int = higher) -> None:
            shares = (0.6, *[0.7] * higher, *[0.5] * len(lines))
            for place, (line, share) in enumerate(zip(lines, shares, strict=False)):
                line.visits, line.doubtful = 1000, place > higher
                line.win_shares[:] = [share] * 2

        ask_anew(page, change)
        rows = page.locator(".lines tbody tr").evaluate_all("all => all.map(one => one.dataset.line)")
        for rank, name in enumerate(rows[:3], 1):
            expect(page.locator(f'.action[data-action="{name}"] .rank')).to_have_text(str(rank))
        expect(page.locator(".lines tbody tr").first).to_have_class(re.compile("first"))
        expect(page.locator(".action.best .rank")).to_have_text("1")
        expect(page.locator(".is-best .hint")).to_contain_text("1")
        expect(page.locator(".hint small")).to_have_count(sure)


def test_a_line_with_more_points_than_the_first_is_explained(page: Page) -> None:
    begun(page)
    for more, share, says in (
        (3, 1, "so far, but tried less"),
        (0.01, 1, None),
        (3, 0, "but fewer wins"),
        (-3, 1, None),
    ):
        labels: list[str] = []

        def change(lines: Lines, more: float = more, share: int = share, labels: list[str] = labels) -> None:
            labels.append(lines[1].action.label)
            first = round(lines[0].margin, 1)
            for line in lines:
                line.visits, line.doubtful, line.margin = 1000, False, first - 5
                line.win_shares[:] = [0.5] * 2
            lines[0].margin, lines[1].margin = first, first + more
            lines[1].win_shares[:] = [share] * 2

        ask_anew(page, change)
        told = page.locator(".told")
        if says is None:
            expect(told).not_to_contain_text("more points than the first line")
        else:
            expect(told).to_contain_text(f"{labels[-1]}: more points than the first line")
            expect(told).to_contain_text(says)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_on_a_small_laptop_all_craftsmen_and_cards_are_in_sight(page: Page, seats: int) -> None:
    held = ["woodworker", "stonecutter", "mason_1", "carpenter_2", "sculptor_3"]
    state = reach("draft", round_=4, seats=seats)
    own, *others = (player["advantages"] for player in fields(state)["players"])
    cards = [*(card for card in own if card == "otto"), "aliena", "francis"]  # Otto stays where his worker is
    left = [{"advantages": [card for card in its if card not in cards]} for its in others]
    mine = {"craftsmen": held, "advantages": cards}
    page.set_viewport_size({"width": 1366, "height": 768})
    rest = dict(zip(("blue", "green", "yellow"), left, strict=False))
    begin_at(page, changed(state, red=mine, **rest), ["me", *["bot1"] * (seats - 1)])
    web.begin(page)
    expect(page.locator(".player.of-red .crew li")).to_have_count(len(held))
    expect(page.locator(".player.of-red .own-cards li")).to_have_count(len(cards))
    for part in page.locator(".player.of-red li").all():
        expect(part).to_be_in_viewport(ratio=1)
