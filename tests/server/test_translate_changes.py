"""Changes in words: goods in the middle of a line are not capitalised, and what is told once is not counted."""

import pytest

from clerestory.engine import GAMES
from clerestory.engine.changes import Change
from clerestory.server.translate_changes import worded


@pytest.mark.parametrize(
    ("game", "change", "english"),
    [
        ("cathedral", Change(0, "wood", "", 6, "production"), "+6 wood (production)"),
        ("cathedral", Change(0, "vp", "", 1, "craftsman", "mason_2"), "+1 point (Mason)"),
        ("cathedral", Change(None, "event_deck", "cold_winter", 1, "advantage", "ellen"), "coming event: Cold winter"),
        ("duel", Change(0, "supply", "stone", -1, "", ""), "-1 stone in the supply"),
        ("duel", Change(0, "camp", "wool", 2, "", ""), "+2 wool in the camp"),
        ("duel", Change(0, "cards", "mason", 1, "", ""), "+1 Mason"),
    ],
)
def test_a_change_in_words(game: str, change: Change, english: str) -> None:
    assert worded(GAMES[game], change, "en").startswith(english)
    assert worded(GAMES[game], change, "de")
