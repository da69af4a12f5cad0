"""Who sees a game in the browser: links of seats, onlookers, who is away, and what only one seat is shown."""

import re
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from lab.browser import choose_game, experienced
from tests.browser.harness import (
    PATIENCE,
    Calls,
    begin,
    called,
    hinted,
    menu,
    new_game,
    play_on,
    resign,
    settled,
    start,
    token_of,
)
from tests.browser.positions import begin_at
from tests.engine.cathedral.scenes import reach

# -- links -----------------------------------------------------------------------------------------


def test_the_link_of_a_seat_leaves_no_token_in_the_address(page: Page, browser: Browser, url: str) -> None:
    identifier = start(page)
    token = Calls(page).keys(identifier)["seats"]["0"]
    other = experienced(browser, base_url=url).new_page()
    asked: list[str] = []
    other.on("request", lambda request: asked.append(request.url))
    other.goto(f"/#/game/{identifier}/seat/0/{token}")
    expect(other.locator(".status.mine")).to_be_visible(timeout=PATIENCE)
    assert token not in other.url
    assert not [address for address in asked if token in address.partition("#")[0]]
    other.context.close()


@pytest.mark.parametrize("link", ["seat/0/{cut}", "seat/1/made-up", "watch/made-up"])
def test_a_link_that_opens_nothing_takes_no_seat_away(page: Page, link: str) -> None:
    """It may have been cut by a mail program, and the seat's token is in this browser alone."""
    identifier = start(page)
    keys = Calls(page).keys(identifier)
    link = link.format(cut=keys["seats"]["0"][:-1])
    page.goto("/")
    with page.expect_response("**/GetGame"):
        page.goto(f"/#/game/{identifier}/{link}")
    expect(page.locator(".status.mine")).to_be_visible(timeout=PATIENCE)
    again = Calls(page).keys(identifier)
    assert [again[name] for name in ("seats", "onlooker")] == [keys[name] for name in ("seats", "onlooker")]


def test_onlookers_see_the_game_and_can_do_nothing(page: Page, browser: Browser, url: str) -> None:
    identifier = start(page)
    menu(page, "Share")
    link = page.get_by_label("Invite to watch").input_value()
    other = experienced(browser, base_url=url).new_page()
    other.goto(link)
    expect(other.locator(".board")).to_be_visible(timeout=PATIENCE)
    expect(other.locator(".action")).to_have_count(0)
    assert Calls(other).keys(identifier)["seats"] == {}
    page.keyboard.press("Escape")
    before = other.locator("[data-version]").get_attribute("data-version")
    play_on(page, lambda offered: offered[0], 1)
    expect(other.locator("[data-version]")).not_to_have_attribute("data-version", str(before), timeout=PATIENCE)
    other.context.close()


def test_a_game_that_everybody_may_watch_has_a_link_for_them(page: Page, browser: Browser, url: str) -> None:
    choose_game(page, "duel", ["me", "bot1"])
    page.get_by_label("Onlookers").select_option("Everybody")
    begin(page)
    settled(page)
    menu(page, "Share")
    link = page.get_by_label("Invite to watch").input_value()
    other = experienced(browser, base_url=url).new_page()
    other.goto(link)
    expect(other.locator(".board")).to_be_visible(timeout=PATIENCE)
    menu(other, "Share")
    expect(other.get_by_label("Invite to watch")).to_have_value(link)
    other.context.close()


def test_one_sees_who_looks_elsewhere(page: Page, browser: Browser, url: str) -> None:
    identifier = new_game(page, "duel", ["me", "open"])
    other = experienced(browser, base_url=url).new_page()
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
    page.get_by_role("link", name="Study").click()
    expect(page).to_have_title("Clerestory")
    page.go_back()
    expect(page).to_have_title("● Your turn – Clerestory")
    page.get_by_role("link", name="Lobby").click()
    expect(page.locator(".games a", has_text="Your turn")).to_have_attribute("href", f"#/game/{identifier}")


def test_a_hidden_tab_of_a_browser_that_makes_no_notifications_shows_the_game(page: Page) -> None:
    """Chrome on Android has them for service workers only."""
    start(page)
    page.add_init_script(
        """globalThis.Notification = class { static permission = "granted"; constructor() { throw new TypeError(); } };
        Object.defineProperty(document, "hidden", {get: () => true});"""
    )
    page.reload()
    expect(page.locator(".board")).to_be_visible()
    expect(page).to_have_title("● Your turn – Clerestory")


def test_a_bot_goes_on_for_a_person_until_he_is_back(page: Page) -> None:
    new_game(page, "duel", ["me", "open"])
    page.get_by_role("button", name="Let a bot play").click()
    settled(page)
    page.get_by_role("button", name="Players").click()
    page.get_by_role("button", name="Let a bot take over").first.click()
    page.locator("dialog").get_by_role("button", name="Take my seat back").click(timeout=PATIENCE)
    page.keyboard.press("Escape")
    assert settled(page)


def test_a_game_is_resigned_only_when_it_is_meant(page: Page) -> None:
    start(page)
    page.get_by_role("button", name="Players").click()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Yes, resign").click()
    expect(page.locator(".ending")).to_contain_text("Red resigned.", timeout=PATIENCE)
    expect(page.get_by_test_id("winner")).to_contain_text("Perkin")


def test_at_one_screen_the_seat_that_is_to_move_resigns(page: Page) -> None:
    identifier = start(page, ("me", "here"))
    while called(page, "GetGame", identifier, token_of(page, identifier))["game"]["turn"]["seat"] == 0:
        play_on(page, lambda offered: offered[0], 1)
    menu(page, "Players")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Yes, resign").click()
    expect(page.locator(".ending")).to_contain_text("Blue resigned.", timeout=PATIENCE)


def test_who_has_given_a_seat_to_a_bot_is_not_asked_to_move(page: Page) -> None:
    start(page, ("me", "here"))
    menu(page, "Players")
    take_over = page.get_by_role("button", name="Let a bot take over")
    take_over.first.click()
    expect(take_over).to_have_count(1)
    take_over.click()
    expect(take_over).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_text("A bot plays for Red.")).to_be_visible()
    expect(page.locator(".status.mine, .action")).to_have_count(0)
    back = page.locator(".notices").get_by_role("button", name="Take my seat back")
    for left in (1, 0):
        back.first.click()
        expect(back).to_have_count(left)
    assert settled(page)


@pytest.mark.parametrize(("game", "players", "follows"), [("duel", 2, "other player wins"), ("cathedral", 3, "A bot")])
def test_whoever_resigns_is_told_what_follows(page: Page, game: str, players: int, follows: str) -> None:
    start(page, ("me", *["bot1"] * (players - 1)), game)
    menu(page, "Players")
    page.get_by_role("button", name="Resign").click()
    expect(page.locator("dialog [role=alert]")).to_contain_text(follows)
    page.get_by_role("button", name="End the game for all").click()
    expect(page.locator("dialog [role=alert]")).to_contain_text("Nobody wins")


def test_a_game_for_which_nobody_comes_is_called_off(page: Page) -> None:
    new_game(page, "cathedral", ["me", "open"])
    page.get_by_role("button", name="End the game for all").click()
    expect(page.get_by_role("button", name="Resign")).to_have_count(0)  # there is nothing yet to resign
    page.get_by_role("button", name="Yes, end it").click()
    expect(page.locator(".ending")).to_contain_text("The game was abandoned.", timeout=PATIENCE)
    expect(page.locator(".round")).to_have_text("Round 1 of 6")  # its cathedral is not finished


def test_the_cathedral_of_a_game_that_is_given_up_in_its_last_round_is_not_finished(page: Page) -> None:
    begin_at(page, reach("draft", round_=6))
    begin(page)
    settled(page)
    resign(page)
    expect(page.locator(".round")).to_have_text("Round 6 of 6")


# -- a limit of time -------------------------------------------------------------------------------


def timed(page: Page, limit: str) -> str:
    """Make a game with a time limit per move, and return its address for the first seat."""
    made = page.request.post(
        "/clerestory.v1.GameService/CreateGame",
        headers={"content-type": "application/json"},
        data={
            "game": "duel",
            "seats": [{"kind": "SEAT_KIND_PERSON"}, {"kind": "SEAT_KIND_PERSON"}],
            "options": {"time_per_move": limit, "play_on": {"level": 1}},
        },
    ).json()
    return f"/#/game/{made['game']['game_id']}/seat/0/{made['seat_tokens'][0]['token']}"


def test_who_has_little_time_sees_how_much_and_that_a_bot_moved(page: Page) -> None:
    page.goto(timed(page, "5s"))
    expect(page.get_by_role("timer")).to_have_text(re.compile("^0:0[0-5]$"), timeout=PATIENCE)
    moved = page.locator(".log li", has_text="out of time: a bot moved").first
    expect(moved).to_have_class("news", timeout=PATIENCE)  # else who comes back does not see what was played for them


@pytest.mark.parametrize("minutes", [-5, 5])
def test_the_time_that_is_left_is_right_where_the_computers_clock_is_not(page: Page, minutes: int) -> None:
    page.evaluate("minutes => { const now = Date.now; Date.now = () => now() + 60_000 * minutes; }", minutes)
    page.goto(timed(page, "3600s"))
    expect(page.get_by_role("timer")).to_have_text(re.compile("^59:"))


def test_a_game_without_a_limit_shows_no_time(page: Page) -> None:
    start(page)
    expect(page.get_by_role("timer")).to_have_count(0)


def test_a_limit_of_time_says_what_it_does(page: Page) -> None:
    page.get_by_text("More options").click()
    limit = page.get_by_label("A person's time per move")
    says = page.get_by_text("has that move made by a bot")
    expect(limit).to_be_visible()
    expect(says).to_have_count(0)
    limit.select_option("1 minute")
    expect(says).to_be_visible()


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
