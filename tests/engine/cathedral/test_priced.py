"""The player with a list of prices: some of them, and a fixed game."""

from typing import Any

import pytest

from clerestory.engine.cathedral import priced
from clerestory.engine.cathedral.script import ScriptView
from tests.engine.cathedral.test_script import table


def in_round(round_: int, **me: Any) -> ScriptView:
    found = table(**me)
    return ScriptView({**found.all, "round": round_}, found.me, found.cards)


@pytest.mark.parametrize(
    ("round_", "card", "gold"),
    [
        (1, "crying_madonna", 15),
        (1, "tom_builder", 24),
        (4, "tom_builder", 12),
        (6, "prior_philip", 3),
        (2, "ellen", 0),
    ],
)
def test_cards_have_a_price_at_once_or_by_round(round_: int, card: str, gold: float) -> None:
    assert priced.card(in_round(round_), card) == gold


def test_a_craftsman_costs_less_than_his_price_while_there_is_room() -> None:
    few, full = ["woodworker"], ["woodworker", "mason_1", "mason_2", "carpenter_2", "potter_2"]
    assert priced.rate(table(craftsmen=few), "hire", "architect_2") == 6
    assert priced.rate(table(craftsmen=[*full[1:], "mason_3"]), "hire", "carpenter_2") == -3
    assert priced.rate(table(craftsmen=full), "dismiss", "woodworker") == 0


def test_a_builder_is_placed_for_more_than_the_price_of_waiting() -> None:
    found = table()
    costly = ScriptView({**found.all, "cost": 7, "drawn": "red"}, found.me, found.cards)
    assert priced.rate(costly, "place", "red", "archbishop") == -2 < priced.rate(costly, "wait", "red") == 4
    assert priced.rate(costly, "place", "red", "priory") == 7  # two points, at 7 gold each
