"""Passages about the rules: of every game, by topic, with what the cards say."""

import pytest

from clerestory.engine import GAMES
from clerestory.mcp.passages import Passage, about, introduction

CARD = {"name": "Potter", "id": "potter_2", "section": "craftsmen", "values": []}
CARD["values"] = [
    {"name": "gives", "json": '{"vp": 1}', "provenance": "stated"},
    {"name": "name_de", "json": '"T\\u00f6pfer"', "provenance": "reconstructed"},
]


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_an_introduction_in_sentences(game: str) -> None:
    passages = introduction(game)
    assert len(passages) > 3
    assert [one for one in passages if not one.title or not one.text or "|--" in one.text] == []


def test_a_topic_finds_cards_explanations_rulings_and_actions() -> None:
    [card] = about("cathedral", "töpfer", [CARD])
    assert card == Passage("Potter (potter_2, craftsmen)", 'gives {"vp": 1}; name_de "Töpfer" (reconstructed)')
    titles = [one.title for one in about("cathedral", "Market", [])]
    assert titles[0] == "market (Step 12, the market)"
    assert "Step 12: market" in titles
    [action] = [one for one in about("cathedral", "discard TYPE", []) if one.title == "Actions"]
    assert action.text.startswith("`discard TYPE` | seat | returns one cube")
    assert [one.text[:9] for one in about("duel", "D2", [])] == ["- **D2** "]
    assert about("duel", "zeppelin", []) == about("duel", " ", []) == []
