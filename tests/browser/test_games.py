"""Games played through the page, and compared with the core ply by ply; to click through whole ones is slow."""

import random

import pytest
from playwright.sync_api import Page, expect

from tests.browser.harness import (
    PATIENCE,
    finish_by_calls,
    held_back,
    new_game,
    play_on,
    played_through,
    record_of,
    resign,
    start,
)

WHOLE = [("cathedral", 2), ("cathedral", 3), ("cathedral", 4), ("duel", 2)]
GAMES = [("duel", 2, 21), *(pytest.param(*one, 10_000, marks=pytest.mark.slow) for one in WHOLE)]


@pytest.mark.parametrize("players", [3, *(pytest.param(number, marks=pytest.mark.slow) for number in (2, 4))])
def test_a_game_begins_as_the_core_has_it(page: Page, players: int) -> None:
    identifier = new_game(page, "cathedral", ["me", *["bot1"] * (players - 1)])
    assert play_on(page, random.Random(players).choice, 12) == 12
    state = played_through(record_of(page, identifier))
    assert (state.seats, state.over) == (players, False)
    assert len(state.history) > 12


@pytest.mark.parametrize(("game", "players", "clicks"), GAMES)
def test_a_game_to_its_end(page: Page, game: str, players: int, clicks: int) -> None:
    chance = random.Random(players)
    identifier = new_game(page, game, ["me", *["bot1"] * (players - 1)])
    pressed = play_on(page, chance.choice, clicks)
    if pressed == clicks:
        finish_by_calls(page, identifier, chance.choice)
        expect(page.get_by_test_id("winner")).to_be_visible(timeout=PATIENCE)
    state = played_through(record_of(page, identifier))
    assert pressed > 20
    assert state.over
    shown = page.get_by_test_id("winner").inner_text()
    best = max(state.returns())
    bots = ["Perkin (Blue)", "Perkin (Green)", "Perkin (Yellow)"] if players > 2 else ["Perkin"]
    names = ["Red", *bots]
    assert [name in shown for name in names[:players]] == [share == best for share in state.returns()]
    if game == "duel":
        expect(page.locator(".grid9 .cell")).to_have_count(9)
        expect(page.locator(".grid9 .fresh")).to_have_count(0)  # a table that was cleared invites nobody
        assert_it_opens_at_its_end_and_leads_on(page)


def assert_it_opens_at_its_end_and_leads_on(page: Page) -> None:
    page.reload()
    expect(page.get_by_test_id("winner")).to_contain_text("wins", timeout=PATIENCE)
    expect(page.locator(".scores")).to_contain_text("materials placed")
    page.get_by_role("button", name="Check this game").click()
    expect(page.get_by_text("the luck of this game was fixed before its first move")).to_be_visible()
    page.get_by_role("button", name="Your three moments").click()
    expect(page.locator(".moments")).to_contain_text("turning point", timeout=PATIENCE)
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator(".action").first).to_be_visible(timeout=PATIENCE)
    page.go_back()
    page.get_by_role("link", name="Review").click()
    expect(page.get_by_role("region", name="Review")).to_be_visible(timeout=PATIENCE)
    expect(page.locator(".turn")).to_have_text("The game is over")
    expect(page.locator(".stands p")).not_to_contain_text("over")


def test_what_comes_late_at_the_end_of_a_game_moves_no_button_away(page: Page) -> None:
    start(page)
    rematch = page.get_by_role("button", name="Rematch")
    with held_back(page, "**/ListLessons"):
        resign(page)
        before = rematch.bounding_box()
    expect(page.locator(".next-step")).to_be_visible()
    assert rematch.bounding_box() == before
