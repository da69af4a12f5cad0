"""Changes in words: goods in the middle of a line are not capitalised, and what is told once is not counted."""

import pytest

from clerestory.engine import GAMES
from clerestory.engine.changes import Change
from clerestory.server.rpc.translate_changes import worded

CHANGES = [
    ("cathedral", Change(0, "wood", "", 6, "production"), "+6 wood (production)"),
    ("cathedral", Change(0, "vp", "", 1, "craftsman", "mason_2"), "+1 point (Mason)"),
    ("cathedral", Change(0, "workers", "", -5, "to_mill"), "-5 workers (to the wool mill)"),
    ("cathedral", Change(0, "workers", "", 1, "from_mill"), "+1 worker (back from the wool mill)"),
    (
        "cathedral",
        Change(None, "event_deck", "cold_winter", 1, "advantage", "ellen"),
        "coming event: Cold winter (Ellen)",
    ),
    ("duel", Change(0, "supply", "stone", -1, "", ""), "-1 stone in the supply"),
    ("duel", Change(0, "camp", "wool", 2, "", ""), "+2 wool in the camp"),
    ("duel", Change(0, "cards", "mason", 1, "", ""), "+1 Mason"),
    ("duel", Change(0, "sum", "", 4, "conflict"), "+4 in the conflict"),
    ("duel", Change(0, "supply", "ore", -1, "card", "ore"), "-1 ore in the supply"),
    ("duel", Change(0, "cards", "volunteer_workers", -1, "card", "volunteer_workers"), "-1 Volunteer Workers"),
    ("duel", Change(0, "markers", "2.3", -1, "conflict"), "-1 marker on row 2, column 3 (conflict)"),
    ("toy", Change(0, "hand", "", -1, "play"), "-1 card (played)"),  # hidden
]


@pytest.mark.parametrize(("game", "change", "english"), CHANGES)
def test_a_change_in_words(game: str, change: Change, english: str) -> None:
    assert worded(GAMES[game], change, "en") == english
    assert worded(GAMES[game], change, "de")


def test_a_card_that_is_hidden_leaves_no_gap_in_other_languages() -> None:
    assert worded(GAMES["toy"], Change(0, "hand", "", -1, "play"), "de") == "-1 Karte (gespielt)"
