"""Hints, stepping, take-backs, links: everything at a table except playing."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from lab.browser import choose_game
from tests.browser.harness import (
    PATIENCE,
    Calls,
    begin,
    hinted,
    menu,
    new_game,
    play_on,
    record_of,
    settled,
    start,
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
    player, onlooker = (browser.new_context(base_url=url).new_page() for _ in range(2))
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


def board_text(page: Page) -> str:
    """The text of the board without that of hints, which keeps changing."""
    text: str = page.locator(".board").evaluate(
        """board => [...board.querySelectorAll('.hint')].reduce(
            (text, hint) => text.replace(hint.textContent, ''), board.textContent)"""
    )
    return text


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
    assert board_text(page) == first
    page.mouse.move(0, 0)
    expect(ghost).to_have_count(0)
    assert board_text(page) == before


def test_a_line_is_played_out_until_the_pointer_is_moved_off(page: Page) -> None:
    """Only a moving pointer counts: not the page moving under a resting pointer, nor a new table."""
    start(page)
    hinted(page, 30, to_the_end=False)
    page.locator(".lines tbody tr").nth(2).hover()
    ghost, pointed = page.locator(".board.ghost"), page.locator(".lines tr.pointed")
    expect(ghost).to_be_visible(timeout=PATIENCE)
    line = str(pointed.get_attribute("data-line"))
    pointed.evaluate("row => row.addEventListener('pointerleave', () => row.dataset.left = 'yes')")
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
    now = page.locator(".board").inner_text()
    page.keyboard.press("Home")
    expect(page.get_by_text("You are looking at an earlier moment.")).to_be_visible()
    expect(page.locator(".action")).to_have_count(0)
    expect(page.locator(".turn")).to_have_text("Move 0")
    page.keyboard.press("End")
    expect(page.locator(".action").first).to_be_visible()
    assert page.locator(".board").inner_text() == now


def test_what_happened_since_is_told(page: Page) -> None:
    start(page, ("bot1", "me"))
    play_on(page, lambda offered: offered[0], 1)
    settled(page)
    news = page.locator(".log li.news")
    expect(news.first).to_be_visible()
    assert "Baldwin" not in news.first.inner_text()


def test_a_move_can_be_taken_back(page: Page) -> None:
    start(page)
    moves = page.locator(".log ol li")
    before = moves.count()
    play_on(page, lambda offered: offered[0], 1)
    assert moves.count() > before
    page.keyboard.press("u")
    expect(moves).to_have_count(before, timeout=PATIENCE)
    assert settled(page)


def when_held(page: Page, held: list[Route]) -> Route:
    """Wait until a call has been made, hold it back, and return it."""
    while not held:
        page.wait_for_timeout(10)
    return held[0]


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
    expect(page.locator(".log")).to_contain_text("Baldwin", timeout=PATIENCE)  # the bot has moved
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
    other = browser.new_context(base_url=url).new_page()
    other.goto(f"/#/game/{identifier}")
    other.get_by_label("Your name").fill("Ada")
    other.get_by_role("button", name="Sit here").click()
    expect(other.locator(".turn")).to_contain_text("Red", timeout=PATIENCE)
    settled(page)
    before = page.locator(".log ol li").count()
    play_on(page, lambda offered: offered[0], 1)
    page.keyboard.press("u")
    other.get_by_role("button", name="Agree").click(timeout=PATIENCE)
    expect(page.locator(".log ol li")).to_have_count(before, timeout=PATIENCE)
    other.context.close()


def test_people_at_one_screen_take_turns(page: Page) -> None:
    start(page, ("me", "here"))
    turns = set()
    for _ in range(3):
        turns.add(page.locator(".turn").inner_text())
        play_on(page, lambda offered: offered[0], 1)
    assert len(turns) == 2
    page.get_by_role("button", name="Show secrets").click()
    expect(page.get_by_role("button", name="Hide secrets")).to_be_visible()


# -- links -----------------------------------------------------------------------------------------


def test_the_link_of_a_seat_leaves_no_token_in_the_address(page: Page, browser: Browser, url: str) -> None:
    identifier = start(page)
    token = Calls(page).keys(identifier)["seats"]["0"]
    other = browser.new_context(base_url=url).new_page()
    asked: list[str] = []
    other.on("request", lambda request: asked.append(request.url))
    other.goto(f"/#/game/{identifier}/seat/0/{token}")
    expect(other.locator(".status.mine")).to_be_visible(timeout=PATIENCE)
    assert token not in other.url
    assert not [address for address in asked if token in address.partition("#")[0]]
    other.context.close()


def test_onlookers_see_the_game_and_can_do_nothing(page: Page, browser: Browser, url: str) -> None:
    identifier = start(page)
    menu(page, "Share")
    link = page.get_by_label("Invite to watch").input_value()
    other = browser.new_context(base_url=url).new_page()
    other.goto(link)
    expect(other.locator(".board")).to_be_visible(timeout=PATIENCE)
    expect(other.locator(".action")).to_have_count(0)
    assert Calls(other).keys(identifier)["seats"] == {}
    page.keyboard.press("Escape")
    before = other.locator("[data-version]").get_attribute("data-version")
    play_on(page, lambda offered: offered[0], 1)
    expect(other.locator("[data-version]")).not_to_have_attribute("data-version", str(before), timeout=PATIENCE)
    other.context.close()


def test_one_sees_who_looks_elsewhere(page: Page, browser: Browser, url: str) -> None:
    identifier = new_game(page, "duel", ["me", "open"])
    other = browser.new_context(base_url=url).new_page()
    other.goto(f"/#/game/{identifier}")
    other.get_by_role("button", name="Sit here").click()
    expect(other.locator(".turn")).to_have_text("Red is to move", timeout=PATIENCE)
    page.goto("/#/")
    expect(other.locator(".turn")).to_have_text("Red is to move, and is away", timeout=PATIENCE)
    other.get_by_role("button", name="Players").click()
    expect(other.get_by_role("dialog").get_by_text("away", exact=True)).to_have_count(1)
    page.goto(f"/#/game/{identifier}")
    expect(other.locator(".turn")).to_have_text("Red is to move", timeout=PATIENCE)
    other.context.close()


def test_calls_at_a_game_show_the_seat_and_no_others(page: Page) -> None:
    """The server uses it to distinguish people with one address."""
    shown: dict[str, str | None] = {}
    page.on("request", lambda one: shown.update({one.url.rpartition("/")[2]: one.headers.get("x-clerestory-seat")}))
    identifier = start(page)
    hinted(page, 1)
    token = Calls(page).keys(identifier)["seats"]["0"]
    assert (shown["CreateGame"], shown["Analyze"]) == (None, f"{identifier} {token}")


def test_the_title_says_whose_turn_it_is(page: Page) -> None:
    identifier = start(page)
    expect(page).to_have_title("● Your turn – Clerestory")
    page.get_by_role("link", name="Lobby").click()
    expect(page.locator(".games a", has_text="Your turn")).to_have_attribute("href", f"#/game/{identifier}")


def test_a_bot_goes_on_for_a_person_until_he_is_back(page: Page) -> None:
    new_game(page, "duel", ["me", "open"])
    page.get_by_role("button", name="Let a bot play").click()
    settled(page)
    page.get_by_role("button", name="Players").click()
    page.get_by_role("button", name="Let a bot take over").first.click()
    page.get_by_role("button", name="Take my seat back").first.click(timeout=PATIENCE)
    page.keyboard.press("Escape")
    assert settled(page)


def test_a_game_is_resigned_only_when_it_is_meant(page: Page) -> None:
    start(page)
    page.get_by_role("button", name="Players").click()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Yes, resign").click()
    expect(page.get_by_text("Red resigned.")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_test_id("winner")).to_contain_text("Baldwin")


# -- a real table ----------------------------------------------------------------------------------


def test_what_a_seat_is_shown_at_a_table_is_asked_for_unseen_by_others(page: Page) -> None:
    """Ellen's owner sees the coming event: the page asks for it behind a button, and shows it to nobody else."""
    choose_game(page, "cathedral", ["me", "here"])
    page.get_by_text("A real box lies on the table").click()
    identifier = begin(page)
    expect(page.locator(".action").first).to_be_visible(timeout=PATIENCE)
    seat, outcome = until_shown(page, identifier)
    colour = ("Red", "Blue")[seat]
    asks = page.get_by_role("group", name=f"What {colour} has been shown")
    expect(asks).to_be_visible(timeout=PATIENCE)
    expect(asks).not_to_contain_text(outcome)
    asks.get_by_role("button", name=f"I am {colour}").click()
    asks.get_by_role("button", name=outcome).click()
    expect(asks).to_have_count(0, timeout=PATIENCE)
    expect(page.locator(".event")).not_to_contain_text("foreseen")
    tokens = Calls(page).keys(identifier)["seats"]
    views = call(page, "GetGame", game_id=identifier, tokens=list(tokens.values()))["views"]
    foreseen = [len(view["position"]["cathedral"].get("event_deck", [])) for view in views]
    assert foreseen == [0, *(int(number == seat) for number in range(2))]


def until_shown(page: Page, identifier: str) -> tuple[int, str]:
    """Play a game by calls until a seat has been shown an event; return the seat, and the possible events."""
    tokens, luck = list(Calls(page).keys(identifier)["seats"].values()), Random(1)
    seen = call(page, "GetGame", game_id=identifier, tokens=tokens)
    while not any(view.get("unsaid") for view in seen["views"]):
        texts = [one["action"]["text"] for view in seen["views"] for one in view.get("actions", ())]
        wanted = (
            [text for text in texts if "ellen" in text] or [text for text in texts if "kingsbridge" in text] or texts
        )
        version = seen["game"].get("version", 0)
        seen = call(page, "PlayAction", game_id=identifier, tokens=tokens, version=version, action=luck.choice(wanted))
    (view,) = (view for view in seen["views"] if view.get("unsaid"))
    return view.get("seat", 0), view["unsaid"][0]["label"]


def call(page: Page, method: str, **fields: object) -> dict[str, Any]:
    """Return the answer of GameService to a call."""
    headers = {"content-type": "application/json"}
    answer = page.request.post(f"/clerestory.v1.GameService/{method}", headers=headers, data=fields)
    found: dict[str, Any] = answer.json()
    assert answer.ok, found
    return found
