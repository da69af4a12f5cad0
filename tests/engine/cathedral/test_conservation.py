"""Nothing is made and nothing is lost in random games: cubes, cards, builders, workers, gold and VP."""

from collections import Counter
from typing import Any

import pytest

from tests.engine.cathedral.oracle_cards import ADVANTAGES, COLOURS, CRAFTSMEN, CUBES_IN_BOX, EVENTS, RESOURCE_CARDS
from tests.engine.cathedral.scenes import fields
from tests.laws import walk
from tests.shipped import CATHEDRAL

BEFORE_THE_BOARD = ("advantages", "craftsmen", "resources", "draft", "draw", "redraw", "builder", "waiting", "event")
Fields = dict[str, Any]


def check_cubes(table: Fields) -> None:
    for kind, number in CUBES_IN_BOX.items():
        held = [player[kind] for player in table["players"]]
        shown = table["court_metal"] if kind == "metal" else table["stock"][kind]
        assert sum(held) + shown + table["supply"][kind] == number
        assert min(held) >= 0
    assert table["supply"]["metal"] >= 0


def check_cards(table: Fields) -> None:
    """No card is in two places, and hands stand in catalogue order."""
    advantages = Counter(table["unseen_advantages"]) + Counter(filter(None, table["kingsbridge_cards"]))
    craftsmen = Counter(filter(None, table["shiring_cards"]))
    craftsmen += Counter([*table["supply_craftsmen"], *table["craftsman_deck"]])
    resources = Counter(table["supply_resources"])
    for player in table["players"]:
        advantages += Counter(player["advantages"])
        resources += Counter(player["resource_cards"])
        craftsmen += Counter(card for card in player["craftsmen"] if CRAFTSMEN[card].round)
        assert set(player["fresh"]) <= set(player["advantages"])
        for name, box in (("craftsmen", list(CRAFTSMEN)), ("advantages", list(ADVANTAGES))):
            assert player[name] == sorted(set(player[name]), key=box.index)
    for cards, box in ((advantages, ADVANTAGES), (craftsmen, CRAFTSMEN), (resources, RESOURCE_CARDS)):
        assert set(cards) <= set(box)
        assert max(cards.values(), default=1) == 1
    assert set(table["unseen_events"]) <= set(EVENTS) - {table["event"]}
    assert set(table["advantage_deck"]) <= set(table["unseen_advantages"])
    assert set(table["event_deck"]) <= set(table["unseen_events"])
    assert len(table["unseen_events"]) - len(table["event_deck"]) == 4


def check_builders(table: Fields) -> None:
    spaces = [table["archbishop"], table["castle"], table["start"], table["drawn"], *table["waiting"], *table["market"]]
    for name in ("kingsbridge", "priory", "shiring", "court"):
        spaces += table[name]
    for colour, player in zip(COLOURS, table["players"], strict=False):
        there = player["bag"] + player["aside"] + spaces.count(colour)
        assert there == 3 if table["step"] in BEFORE_THE_BOARD else there <= 3


def check_players(table: Fields) -> None:
    """Workers, gold and VP."""
    for player in table["players"]:
        away = sum(RESOURCE_CARDS[card].workers for card in player["resource_cards"])
        black = "otto" in player["advantages"] and "otto" not in player["fresh"]
        assert player["workers"] + player["mill"] + away == 12 + black + player["grey"]
        assert 0 <= player["gold"] <= 30
        earned = player["vp_priory"] + player["vp_craftsmen"] + player["vp_cards"]
        assert player["vp"] == 2 + earned - player["vp_lost"] >= 0
    assert sum(player["grey"] + player["grey_next"] for player in table["players"]) <= 4


@pytest.mark.parametrize("seats", CATHEDRAL.seats)
def test_nothing_is_lost(seats: int) -> None:
    for seed in range(5):
        for state in walk(CATHEDRAL, seats, seed):
            for check in (check_cubes, check_cards, check_builders, check_players):
                check(fields(state))
