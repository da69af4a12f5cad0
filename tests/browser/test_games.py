"""A game of each kind and player count, played through the page to its end, and compared with the core ply by ply."""

import random

import pytest
from playwright.sync_api import Page

from tests.browser.harness import new_game, play_on, played_through, record_of

GAMES = [("cathedral", 2), ("cathedral", 3), ("cathedral", 4), ("duel", 2)]


@pytest.mark.parametrize(("game", "players"), GAMES)
def test_a_game_to_its_end(page: Page, game: str, players: int) -> None:
    chance = random.Random(players)
    identifier = new_game(page, game, ["me", *["bot1"] * (players - 1)])
    pressed = play_on(page, chance.choice)
    state = played_through(record_of(page, identifier))
    assert pressed > 20
    assert state.over
    shown = page.get_by_test_id("winner").inner_text()
    best = max(state.returns())
    colours = ("Red", "Blue", "Green", "Yellow")
    assert [colour in shown for colour in colours[:players]] == [share == best for share in state.returns()]
