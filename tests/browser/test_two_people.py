"""Two people at two browsers: an invitation, a take-back that one of them declines, and the next game."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from lab.browser import experienced
from tests.browser.harness import (
    PATIENCE,
    Calls,
    called,
    held_back,
    new_game,
    play_on,
    resign,
    settled,
    start,
    when_held,
)


@pytest.fixture
def other(page: Page, browser: Browser, url: str) -> Iterator[Page]:
    """The tab of the second player of a game of the page, who has been invited."""
    game = new_game(page, "duel", ["me", "open"])
    assert game in open_games(page)
    invitation = page.get_by_label("Send this link to the other players").input_value()
    context = experienced(browser, base_url=url)
    tab = context.new_page()
    tab.goto(invitation)
    tab.get_by_label("Your name").fill("Ada")
    tab.get_by_role("button", name="Sit here").click()
    expect(tab.locator(".turn")).to_contain_text("Red", timeout=PATIENCE)
    yield tab
    context.close()


def open_games(page: Page) -> list[str]:
    """Return the games that the lobby shows to strangers."""
    answer = page.request.post("/clerestory.v1.GameService/ListGames", data={})
    return [game["game_id"] for game in answer.json().get("games", [])]


def next_game(page: Page, times: int = 1) -> str:
    """Press Rematch, and return the game that this leads to."""
    before = page.url
    page.get_by_role("button", name="Rematch").click(click_count=times)
    page.wait_for_url(lambda url: url != before)
    return page.url.rpartition("/")[2]


def test_two_who_press_rematch_meet_in_one_game_whoever_is_first(page: Page, other: Page) -> None:
    for first, second in ((page, other), (other, page)):
        resign(first)
        game = next_game(first)
        assert game not in open_games(page)
        assert next_game(second) == game
        expect(page.locator(".status.mine")).to_be_visible(timeout=PATIENCE)
        assert [list(Calls(tab).keys(game)["seats"]) for tab in (page, other)] == [["0"], ["1"]]
    expect(page.locator(".player-name .who")).to_have_text(["Red (you)", "Ada"])


def test_a_rematch_whose_deal_the_other_has_chosen_is_not_joined(page: Page, other: Page) -> None:
    """Nor does its maker get a seat's token."""
    resign(page)
    game = page.url.rpartition("/")[2]
    keys = Calls(other).keys(game)
    ended = called(other, "GetGame", game, list(keys["seats"].values()))
    chosen = {"game": "duel", "seats": [{"kind": "SEAT_KIND_OPEN"}] * 2, "seed": 7, "options": ended["game"]["options"]}
    made = other.request.post(
        "/clerestory.v1.GameService/CreateGame",
        headers={"content-type": "application/json"},
        data={**chosen, "request_id": ended["rematch_id"]},
    )
    assert made.ok
    assert next_game(page) != made.json()["game"]["game_id"]


def test_a_rematch_that_is_pressed_twice_is_one(page: Page) -> None:
    start(page)
    resign(page)
    made: list[str] = []
    page.on("request", lambda request: made.append(request.url) if request.url.endswith("/CreateGame") else None)
    next_game(page, times=2)
    assert settled(page)
    assert len(made) == 1


def test_a_rematch_takes_nobody_back_who_has_left(page: Page) -> None:
    start(page)
    resign(page)
    with page.expect_response("**/CreateGame"), held_back(page, "**/CreateGame") as held:
        page.get_by_role("button", name="Rematch").click()
        when_held(page, held)
        page.get_by_role("link", name="New game").click()
        expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Your games")).to_be_visible()
    assert page.url.endswith("#/")


def test_who_comes_too_late_for_the_last_seat_is_told(page: Page, browser: Browser, url: str) -> None:
    game = new_game(page, "duel", ["me", "open"])
    context = experienced(browser, base_url=url)
    visitor = context.new_page()
    visitor.goto(f"/#/game/{game}")
    expect(visitor.get_by_role("button", name="Sit here")).to_be_visible()
    joined = {"game_id": game, "name": "Ada", "request_id": "7c0f1d5e-2a52-4c39-8c51-1b2f0f3ad001"}
    assert page.request.post("/clerestory.v1.GameService/JoinGame", data=joined).ok
    expect(visitor.get_by_role("alert")).to_be_visible(timeout=PATIENCE)
    expect(visitor.get_by_role("button", name="Sit here")).to_have_count(0)
    context.close()


def test_who_asks_to_go_back_hears_that_it_is_declined(page: Page, other: Page) -> None:
    settled(page)
    play_on(page, lambda offered: offered[0], 1)
    page.keyboard.press("u")
    expect(page.get_by_role("alert")).to_contain_text("You ask to go back", timeout=PATIENCE)
    expect(other.get_by_role("alert")).to_contain_text("Red asks to go back", timeout=PATIENCE)
    other.get_by_role("button", name="Decline").click()
    expect(page.get_by_role("alert")).to_have_text("Ada declined.", timeout=PATIENCE)
    expect(other.get_by_role("alert")).to_have_count(0)


def test_who_agrees_twice_to_a_take_back_agrees_once(page: Page, other: Page) -> None:
    settled(page)
    moves = other.locator(".log ol li")
    before = moves.count()
    play_on(page, lambda offered: offered[0], 1)
    page.keyboard.press("u")
    held: list[Route] = []
    other.route("**/TakeBack", lambda route: held.append(route))
    agree = other.get_by_role("button", name="Agree")
    agree.click(click_count=2)
    when_held(other, held)
    expect(agree).to_have_attribute("aria-disabled", "true")
    held[0].continue_()
    expect(moves).to_have_count(before)
    expect(agree).to_have_count(0)
    expect(other.get_by_role("alert")).to_have_count(0)
