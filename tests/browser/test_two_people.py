"""Two people at two browsers: an invitation, a take-back that one of them declines, and the next game."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import harness as web


@pytest.fixture
def ada(page: Page, other: Page) -> Page:
    """The tab of the second player of a game on the page, who has been invited."""
    game = web.new_game(page, "duel", ["me", "open"])
    assert game in open_games(page)
    other.goto(page.get_by_label("Send this link to the other players").input_value())
    other.get_by_label("Your name").fill("Ada")
    other.get_by_role("button", name="Sit here").click()
    expect(other.locator(".turn")).to_contain_text("Red")
    return other


def open_games(page: Page) -> list[str]:
    """Return the games that the lobby shows to strangers."""
    return [game["game_id"] for game in web.called(page, "GameService/ListGames").get("games", [])]


def next_game(page: Page, times: int = 1) -> str:
    before = page.url
    page.get_by_role("button", name="Rematch").click(click_count=times)
    page.wait_for_url(lambda url: url != before)
    return page.url.rpartition("/")[2]


def test_two_players_who_press_rematch_meet_in_one_game(page: Page, ada: Page) -> None:
    for first, second in ((page, ada), (ada, page)):
        web.resign(first)
        game = next_game(first)
        assert game not in open_games(page)
        assert next_game(second) == game
        expect(page.locator(".status.mine")).to_be_visible()
        assert [list(web.keys_of(tab, game)["seats"]) for tab in (page, ada)] == [["0"], ["1"]]
    expect(page.locator(".player-name .who")).to_have_text(["Red (you)", "Ada"])


def test_a_rematch_whose_deal_the_other_has_chosen_is_not_joined(page: Page, ada: Page) -> None:
    """Nor does its maker get a seat's token."""
    web.resign(page)
    game = page.url.rpartition("/")[2]
    ended = web.called(ada, "GameService/GetGame", game_id=game, tokens=web.tokens_of(ada, game))
    chosen = {"game": "duel", "seats": [{"kind": "SEAT_KIND_OPEN"}] * 2, "seed": 7, "options": ended["game"]["options"]}
    made = web.called(ada, "GameService/CreateGame", **chosen, request_id=ended["rematch_id"])
    assert next_game(page) != made["game"]["game_id"]


def test_a_rematch_that_is_pressed_twice_is_one_and_takes_nobody_back_who_has_left(page: Page) -> None:
    web.start(page)
    web.resign(page)
    made = web.calls_to(page, "CreateGame")
    next_game(page, times=2)
    assert web.settled(page)
    assert len(made) == 1
    web.resign(page)
    with page.expect_response("**/CreateGame"), web.held_back(page, "CreateGame") as held:
        page.get_by_role("button", name="Rematch").click()
        web.when_held(page, held)
        page.get_by_role("link", name="New game").click()
        expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Your games")).to_be_visible()
    assert page.url.endswith("#/")


def test_a_visitor_who_is_too_late_for_the_last_seat_gets_a_message(page: Page, other: Page) -> None:
    game = web.new_game(page, "duel", ["me", "open"])
    other.goto(f"/#/game/{game}")
    expect(other.get_by_role("button", name="Sit here")).to_be_visible()
    web.called(
        page, "GameService/JoinGame", game_id=game, name="Ada", request_id="7c0f1d5e-2a52-4c39-8c51-1b2f0f3ad001"
    )
    expect(other.get_by_role("alert")).to_be_visible()
    expect(other.get_by_role("button", name="Sit here")).to_have_count(0)


def test_a_take_back_is_withdrawn_declined_and_agreed_to_once(page: Page, ada: Page) -> None:
    web.settled(page)
    moves, alert, asked = ada.locator(".log ol li"), ada.get_by_role("alert"), page.get_by_role("alert")
    before = moves.count()
    web.play_on(page, 1)
    page.keyboard.press("u")
    expect(asked).to_contain_text("You ask to go back")
    expect(alert).to_contain_text("Red asks to go back")
    expect(ada.get_by_text("This takes back: Red: claim")).to_be_visible()
    page.get_by_role("button", name="Withdraw").click()
    expect(asked).to_have_count(0)
    expect(alert).to_have_count(0)
    page.keyboard.press("u")
    ada.get_by_role("button", name="Decline").click()
    expect(asked).to_have_text("Ada declined.")
    expect(alert).to_have_count(0)
    page.keyboard.press("u")
    agree = ada.get_by_role("button", name="Agree")
    calls = web.calls_to(ada, "TakeBack")
    with web.held_back(ada, "TakeBack") as held:
        agree.click(click_count=2)
        web.when_held(ada, held)
        expect(agree).to_have_attribute("aria-disabled", "true")
    for tab in (page, ada):
        expect(tab.locator(".log ol li")).to_have_count(before)
    expect(agree).to_have_count(0)
    expect(alert).to_have_count(0)
    assert len(calls) == 1


def test_what_players_say_is_read_in_each_language_and_can_be_hidden(page: Page, ada: Page) -> None:
    """Also after the end, when they thank each other."""
    ada.evaluate("localStorage.language = 'de'")
    with ada.expect_response("**/WatchGame"):  # what is said before she watches does not reach her
        ada.reload()
    expect(ada.get_by_role("button", name="Etwas sagen")).to_be_visible()
    said, heard = page.locator(".spoken"), ada.locator(".spoken")
    say(page, "Well played!")
    expect(said).to_have_text("Red: Well played!")
    expect(heard).to_have_text("Rot: Gut gespielt!")
    ada.get_by_role("button", name="Etwas sagen").click()
    ada.get_by_label("Nicht zeigen, was andere sagen").check()
    expect(heard).to_be_empty()
    ada.get_by_role("button", name="Danke!").click()
    expect(heard).to_have_text("Ada: Danke!")
    expect(said).to_contain_text("Ada: Thank you!")
    web.resign(page)
    say(page, "Goodbye!")
    expect(said).to_contain_text("Red: Goodbye!")


def say(page: Page, phrase: str) -> None:
    page.get_by_role("button", name="Say something").click()
    page.get_by_role("button", name=phrase).click()


def test_nobody_talks_to_bots(page: Page) -> None:
    web.start(page)
    expect(page.get_by_role("button", name="Players")).to_be_visible()
    expect(page.get_by_role("button", name="Say something")).to_have_count(0)
