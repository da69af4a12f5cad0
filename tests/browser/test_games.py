"""Games played through the page, and compared with the core ply by ply; whole ones of the board game are slow."""

import random

import pytest
from playwright.sync_api import Page

from tests.browser.harness import new_game, play_on, played_through, record_of

GAMES = [*(pytest.param("cathedral", players, marks=pytest.mark.slow) for players in (2, 3, 4)), ("duel", 2)]


@pytest.mark.parametrize("players", [3, *(pytest.param(number, marks=pytest.mark.slow) for number in (2, 4))])
def test_a_game_begins_as_the_core_has_it(page: Page, players: int) -> None:
    identifier = new_game(page, "cathedral", ["me", *["bot1"] * (players - 1)])
    assert play_on(page, random.Random(players).choice, 12) == 12
    state = played_through(record_of(page, identifier))
    assert (state.seats, state.over) == (players, False)
    assert len(state.history) > 12


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
    bots = ["Perkin (Blue)", "Perkin (Green)", "Perkin (Yellow)"] if players > 2 else ["Perkin"]
    names = ["Red", *bots]
    assert [name in shown for name in names[:players]] == [share == best for share in state.returns()]
