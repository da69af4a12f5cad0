"""A seat's goods and actions stay visible, keep the focus, and are described in text."""

import re
from contextlib import nullcontext
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from clerestory.engine import GAMES
from tests.browser import harness as web
from tests.browser.positions import LAST_BUILD, begin_at, in_a_contest, nearly_won, placed_free, win, with_full_hands

SIZES: list[Any] = [{"width": 1366, "height": 768}, {"width": 390, "height": 844}, {"width": 320, "height": 640}]
EARLIER = "You are looking at an earlier moment."


@pytest.mark.parametrize("game", ["cathedral", "duel"])
def test_goods_and_actions_are_in_sight_wherever_the_page_is_scrolled(page: Page, game: str) -> None:
    web.start(page, game=game)
    for size in SIZES:
        page.set_viewport_size(size)
        for place in ("0", "document.body.scrollHeight / 2", "document.body.scrollHeight"):
            page.evaluate(f"scrollTo(0, {place})")
            for part in (".purse-line.own", ".action", ".turn"):
                expect(page.locator(part).first).to_be_in_viewport(ratio=1)


LAPTOPS: list[Any] = [{"width": 1366, "height": 768}, {"width": 1280, "height": 720}]
OVERFLOWING = """() => ['html', '.middle', '.drawn', '.seat', '.actions'].filter(name => {
    const one = document.querySelector(name);
    return one.scrollHeight > one.clientHeight + 2 || one.scrollWidth > one.clientWidth + 2;
})"""


@pytest.mark.parametrize("game", ["cathedral", "duel"])
def test_on_a_laptop_the_whole_table_is_in_sight_and_the_board_grows_with_the_window(page: Page, game: str) -> None:
    web.start(page, game=game)
    web.drawn(page)
    size = "parseFloat(getComputedStyle(document.querySelector('.drawn')).fontSize)"
    for laptop in LAPTOPS:
        page.set_viewport_size(laptop)
        assert page.evaluate(OVERFLOWING) == []
        for action in page.locator(".action").all():
            expect(action).to_be_in_viewport(ratio=1)
    small = page.evaluate(size)
    page.set_viewport_size({"width": 1920, "height": 1080})
    assert page.evaluate(OVERFLOWING) == []
    assert page.evaluate(size) > 1.3 * small


CAMPS = ".cell, .camps, .camps .building, .camps .chips, .camps .holdings, .camps .seals"
PLACES = """selector => [...document.querySelectorAll(selector)].map(one => {
    const { x, y, width, height } = one.getBoundingClientRect();
    return [one.classList[1] ?? one.className, x, y, width, height].join();
})"""


@pytest.mark.parametrize("size", [*LAPTOPS, {"width": 1920, "height": 1080}], ids=lambda size: str(size["width"]))
def test_what_camps_hold_moves_nothing(page: Page, size: Any) -> None:
    """Cards and parts of camps have the same places at the start as with many seals and cards in hand."""
    page.set_viewport_size(size)
    places = []
    for state in (GAMES["duel"].new(2, 1), with_full_hands()):
        begin_at(page, state)
        web.begin(page)
        web.drawn(page)
        assert page.evaluate(OVERFLOWING) == []
        places.append(page.evaluate(PLACES, CAMPS))
    assert places[0] == places[1]


def test_the_button_that_ends_a_decision_stays_visible_below_a_long_list(page: Page) -> None:
    page.set_viewport_size(LAPTOPS[1])
    web.start(page, game="cathedral")
    first = page.locator(".action").first
    first.evaluate("one => { for (let n = 0; n < 30; n++) one.after(one.cloneNode(true)); }")
    expect(page.locator(".action[data-action='pass']")).to_be_in_viewport(ratio=1)


def test_nothing_jumps_however_long_the_status_is(page: Page) -> None:
    web.start(page)
    places = """() => ['.status', '.middle', '.actions', '.more'].map(
        name => JSON.stringify(document.querySelector(name).getBoundingClientRect()))"""
    for size in SIZES:
        page.set_viewport_size(size)
        page.reload()  # discards all changes
        web.drawn(page)
        web.settled(page)
        before = page.evaluate(places)
        page.locator(".stands p").evaluate("line => { line.textContent = 'Long words. '.repeat(60); }")
        page.locator(".turn").evaluate("line => { line.textContent = 'Somebody with a long name '.repeat(9); }")
        assert page.evaluate(places) == before, size
        page.locator(".actions").evaluate("list => list.replaceChildren()")  # another seat's turn
        assert page.evaluate(places) == before, size


def test_nothing_jumps_when_a_message_appears_beside_the_actions(page: Page) -> None:
    """A user who steps back through a game finds the button for the next step in the same place."""
    web.start(page, game="cathedral")
    places = """() => ['.purse-line', '.seat'].flatMap(name => {
        const {x, y, width, height} = document.querySelector(name).getBoundingClientRect();
        return [x, y, width, height]; })"""
    back = page.get_by_label("One move back")
    web.drawn(page)
    for size in SIZES[:2]:
        page.set_viewport_size(size)
        back.scroll_into_view_if_needed()
        before = page.evaluate(places)
        back.click()
        expect(page.get_by_text(EARLIER)).to_be_visible()
        assert page.evaluate(places) == pytest.approx(before, abs=1), size
        page.keyboard.press("End")
        expect(page.get_by_text(EARLIER)).to_have_count(0)


@pytest.mark.parametrize("size", SIZES[:2], ids=lambda size: str(size["width"]))
def test_the_board_stays_where_it_is_while_one_goes_through_the_actions_by_keyboard(page: Page, size: Any) -> None:
    page.set_viewport_size(size)
    web.start(page, game="cathedral")
    web.drawn(page)
    page.evaluate("scrollTo(0, 200)")
    scrolled = page.evaluate("scrollY")  # on a laptop nothing scrolls
    page.keyboard.press("a")
    for _ in range(4):
        page.keyboard.press("Tab")
    expect(page.locator(".action").nth(4)).to_be_focused()
    assert page.evaluate("scrollY") == scrolled
    page.locator(".log .steps button").first.focus()
    bottom = "name => document.querySelector(name).getBoundingClientRect().bottom"
    sheet = page.evaluate("document.querySelector('.seat').getBoundingClientRect().top")
    assert size != SIZES[1] or page.evaluate(bottom, ".log .steps button") <= sheet, "it lies behind the sheet"


def test_the_focus_stays_with_the_actions(page: Page) -> None:
    web.start(page)
    page.keyboard.press("a")
    for _ in range(5):
        assert web.settled(page)
        web.plan(page)
        page.locator(".action").first.focus()
        page.keyboard.press("Enter")
        expect(page.locator(".actions:focus")).to_have_count(1)


def test_one_announcement_a_move_says_who_did_what(page: Page) -> None:
    web.start(page)
    web.logged(page)
    page.evaluate(
        """() => { window.said = [];
        const live = document.querySelector('p[aria-live]');
        new MutationObserver(() => window.said.push(live.textContent))
            .observe(live, {characterData: true, childList: true, subtree: true}); }"""
    )
    action = page.locator(".action").first
    label = action.inner_text()
    action.click()
    page.wait_for_function("label => window.said.some(one => one.startsWith(`Red: ${label}`))", arg=label)
    web.settled(page)
    page.wait_for_function("window.said.at(-1).endsWith('Your turn.')")
    told = page.evaluate("window.said")
    assert len(told) == len(set(told)), told


def test_all_that_happens_at_once_is_announced(page: Page) -> None:
    identifier = web.start(page)
    asked = {"game_id": identifier, "tokens": web.tokens_of(page, identifier)}
    with web.held_back(page, "WatchGame") as held:
        page.reload()
        web.settled(page)
        web.when_held(page, held)
        game = web.called(page, "GameService/GetGame", **asked)["game"]
        first = web.called(page, "GameService/PlayAction", **asked, action="claim row 1", version=game["version"])
        while web.called(page, "GameService/GetGame", **asked)["game"]["version"] == first["game"]["version"]:
            page.wait_for_timeout(10)
    told = re.compile(r"^Red: claim the first row\. Perkin: claim .*Your turn\.$")
    expect(page.locator("p.unseen[aria-live]")).to_have_text(told)


def test_the_end_is_announced_too(page: Page) -> None:
    announced = page.locator("p.unseen[aria-live]")
    win(page)
    expect(announced).to_contain_text(re.compile("^Red: .*Red wins$"))
    page.goto("/#/")
    web.start(page)
    web.resign(page)
    expect(announced).to_have_text("Red resigned. Perkin wins")


def test_a_second_click_on_new_actions_plays_nothing(page: Page) -> None:
    """A double click means the first target once, not also what appears in its place."""
    web.start(page)
    played = web.calls_to(page, "PlayAction")
    page.evaluate(
        """() => new MutationObserver(() => document.querySelector('.actions[data-fresh] .action')?.click())
            .observe(document.body, {subtree: true, childList: true, attributes: true})"""
    )
    web.play_on(page, 3)
    assert len(played) == 3


def test_the_others_move_at_a_pace_that_can_be_followed_and_skipped(page: Page) -> None:
    web.start(page)
    page.evaluate("localStorage.setItem('pace', '600000')")
    page.reload()
    web.settled(page)
    page.locator(".action").first.click()
    expect(page.get_by_text("The others are moving.")).to_be_visible()
    shown = page.locator(".log ol li").count()
    page.keyboard.press("s")
    expect(page.get_by_text("The others are moving.")).to_have_count(0)
    expect(page.locator(".log ol li").nth(shown)).to_be_attached()
    assert web.settled(page)


def test_figures_say_by_how_much_they_changed_and_what_happened_since_is_shown_again(page: Page) -> None:
    web.start(page, game="cathedral")
    page.evaluate(
        """() => { window.changes = [];
        const look = () => window.changes.push(...[...document.querySelectorAll(".by")].map(one => one.textContent));
        new MutationObserver(look).observe(document.body, { childList: true, subtree: true }); }"""
    )
    web.play_on(page, 1, lambda offered: next((one for one in offered if one.startswith("hire")), offered[0]))
    page.wait_for_function("window.changes.length > 0")
    changes = page.evaluate("window.changes")
    assert [one for one in changes if not re.fullmatch(r"[+\u2212]\d+", one)] == []
    web.play_on(page, 1, lambda offered: "pass")
    web.settled(page)
    held = web.hold(page, "GetGame", times=1)  # otherwise it might be over too early
    page.keyboard.press("r")
    expect(page.get_by_text(EARLIER)).to_be_visible()
    web.when_held(page, held).continue_()
    expect(page.locator(".status.mine")).to_be_visible()


def test_broken_addresses_show_the_lobby(page: Page) -> None:
    for address in ("#/%", "#/nowhere/at/all", "#/game", "#/toString/at/all"):
        page.goto(f"/{address}")
        page.reload()
        expect(page.get_by_text("This address leads nowhere.")).to_be_visible()
        expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()


# Other windows may not answer within 80 ms on a busy machine.
PATIENT = """const soon = setTimeout;
    globalThis.setTimeout = (run, wait, ...more) => soon(run, wait === 80 ? 3000 : wait, ...more);"""


def test_many_windows_leave_connections_for_calls(page: Page) -> None:
    """A browser opens six connections to a host: with a stream in each window, the seventh could not even load."""
    identifier = web.start(page)
    page.context.add_init_script(PATIENT)
    windows = [page.context.new_page() for _ in range(6)]
    for number, window in enumerate(windows):
        with window.expect_request("**/WatchGame") if number < 2 else nullcontext():
            window.goto(f"/#/game/{identifier}")
    for number, window in enumerate(windows):
        assert web.settled(window)
        looks = window.get_by_text("this one updates every three seconds")
        expect(looks).to_have_count(0 if number < 2 else 1)
    web.play_on(windows[-1], 1)
    version = int(web.version_of(windows[-1]))
    shown = "version => Number(document.querySelector('[data-version]').dataset.version) >= version"
    page.wait_for_function(shown, arg=version)


# -- the deciding factor in text --------------------------------------------------------------------

CATHEDRAL = (
    r"costs \d gold, .* into .*, (once|up to \d times)",
    r"workers needed: \d",
    "At the market, 2 gold each: 4 sand",
    "not rolled",
    "–, –, –, –",
)
DUEL = ("1: costs 2 gold, 2: costs 6 gold", "beam, missing", r"2/3 \(Personal seal\)", r"\+10 gold", r" \(.*gold.*\)")


@pytest.mark.parametrize(("game", "says"), [("cathedral", CATHEDRAL), ("duel", DUEL)])
def test_the_board_in_words_has_the_content_of_the_drawing(page: Page, game: str, says: tuple[str, ...]) -> None:
    web.start(page, game=game)
    for kind, cost in (("take", r"workers needed: \d+"), ("hire", r"costs \d+ gold")):
        for action in page.locator(f".action[data-action^='{kind}']").all():
            expect(action).to_contain_text(re.compile(cost))
    page.keyboard.press("t")
    for one in says:
        expect(page.locator(".text-board")).to_contain_text(re.compile(one))


def test_building_says_what_it_costs(page: Page) -> None:
    nearly_won(page)
    web.begin(page)
    expect(page.locator(LAST_BUILD)).to_contain_text("costs 2 gold")
    page.locator("[data-about='0.section.III']").hover()
    expect(page.locator(".bubble")).to_contain_text("still missing: brick; one costs 2 gold")


def test_a_contest_says_for_which_card(page: Page) -> None:
    card = in_a_contest(page)
    web.begin(page)
    expect(page.locator(".stands p")).to_contain_text(card)
    expect(page.locator(".action[data-action='stop']")).to_contain_text(card)
    expect(page.locator(".cell.using")).to_have_count(1)
    expect(page.locator(".cell.using")).to_contain_text(card)


def test_a_builder_that_a_card_places_free_costs_nothing(page: Page) -> None:
    placed_free(page)
    web.begin(page)
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
    web.start(page)
    expect(page.get_by_text("is lost when you close this page")).to_be_visible()
    assert web.play_on(page, 1) == 1


def test_the_log_begins_at_the_beginning_where_the_game_does(page: Page) -> None:
    web.start(page, game="cathedral")
    web.play_on(page, 3)
    web.settled(page)  # a bot's move leads back to the present
    rows = page.locator(".log ol")
    expect(rows).not_to_have_js_property("scrollTop", 0)
    page.keyboard.press("Home")
    expect(page.locator(".steps")).to_contain_text("0 / ")
    expect(rows).to_have_js_property("scrollTop", 0)
