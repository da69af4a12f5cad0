"""Games played through the page and compared with the core ply by ply; clicking through whole games is slow."""

import random

import pytest
from playwright.sync_api import Page, expect

from tests.browser import harness as web
from tests.browser.positions import win

WHOLE = [("cathedral", 2), ("cathedral", 4), ("duel", 2)]
GAMES = [("cathedral", 3, 12), *(pytest.param(*one, 10_000, marks=pytest.mark.slow) for one in WHOLE)]


@pytest.mark.parametrize(("game", "players", "clicks"), GAMES)
def test_a_game_is_played_as_the_core_has_it(page: Page, game: str, players: int, clicks: int) -> None:
    identifier = web.new_game(page, game, ["me", *["bot1"] * (players - 1)])
    pressed = web.play_on(page, clicks, random.Random(players).choice)
    state = web.played_through(web.record_of(page, identifier))
    assert state.seats == players
    assert state.over == (pressed < clicks)
    if state.over:
        shown = page.get_by_test_id("winner").inner_text()
        bots = ["Perkin (Blue)", "Perkin (Green)", "Perkin (Yellow)"] if players > 2 else ["Perkin"]
        won = [share == max(state.win_shares()) for share in state.win_shares()]
        assert [name in shown for name in ["Red", *bots[: players - 1]]] == won, shown


def test_a_game_opens_at_its_end_and_leads_on(page: Page) -> None:
    win(page)
    expect(page.locator(".grid9 .cell")).to_have_count(9)
    expect(page.locator(".grid9 .fresh")).to_have_count(0)  # a cleared table shows no fresh marks
    page.reload()
    expect(page.get_by_test_id("winner")).to_contain_text("Red wins")
    expect(page.locator(".scores")).to_contain_text("materials placed")
    expect(page.locator(".moment")).to_contain_text("No moment stands out")
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator(".action").first).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Review").click()
    expect(page.get_by_role("region", name="Review")).to_be_visible()
    expect(page.locator(".turn")).to_have_text("The game is over")
    expect(page.locator(".stands p")).not_to_contain_text("over")


def test_late_content_at_the_end_of_a_game_moves_no_button(page: Page) -> None:
    web.start(page)
    rematch = page.get_by_role("button", name="Rematch")
    with web.held_back(page, "ListLessons"):
        web.resign(page)
        before = rematch.bounding_box()
    expect(page.locator(".next-step")).to_be_visible()
    assert rematch.bounding_box() == before
    page.get_by_role("button", name="Check the luck").click()
    expect(page.get_by_text("the luck of this game was fixed before its first move")).to_be_visible()


# -- opponents have faces --------------------------------------------------------------------------


def test_no_two_opponents_that_are_proposed_are_alike(page: Page) -> None:
    page.get_by_label("4 players").check()
    chosen = page.locator(".seats select").evaluate_all("all => all.map(one => one.value)")
    assert len(set(chosen)) == len(chosen) == 4


def test_an_opponent_is_chosen_by_face_and_sits_at_the_table(page: Page) -> None:
    with web.lost(page, "ListCharacters"):
        page.reload()
    blue = page.get_by_role("radiogroup", name="Opponent in blue")
    expect(blue.get_by_role("radio"), "they are asked for again").to_have_count(8)
    blue.get_by_role("radio", name="Theda, level 6").check()
    expect(blue).to_contain_text("The merchant: never misses a market day.")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".player.of-blue")).to_contain_text("Theda")
    expect(page.locator(".player.of-blue .face circle").first).to_be_attached()
    page.goto("/#/")
    page.get_by_role("button", name="Play now").click()
    expect(page.locator(".player.of-blue")).to_contain_text("Mabel")


def test_a_game_that_is_started_before_the_opponents_have_come_has_them_all_the_same(page: Page) -> None:
    blue = page.get_by_role("radiogroup", name="Opponent in blue")
    expect(blue.get_by_role("radio"), "no call of the page that is left may be held back").to_have_count(8)
    page.clock.install()
    with web.held_back(page, "ListCharacters") as held:  # several parts of the page ask for them
        page.reload()
        web.when_held(page, held)
        page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 3600)  # the page's patience ends when time advances
        created = web.calls_to(page, "CreateGame")
        start_it = page.get_by_role("button", name="Start", exact=True)
        start_it.click()
        expect(start_it).to_be_disabled()
        web.processed(page)
        assert created == []
    page.clock.resume()
    expect(page.locator(".player.of-blue")).to_contain_text("Linnet")
