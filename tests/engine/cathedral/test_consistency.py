"""A position that does not add up is refused, naming all invalid fields at once."""

import json
from pathlib import Path
from typing import Any

import pytest

from clerestory.engine import from_position
from tests.engine.faulty import faults_of_position
from tests.shipped import CATHEDRAL

EXAMPLE = Path(__file__).parents[3] / "examples" / "positions" / "cathedral-4p-round6-market.json"
SOUND: dict[str, Any] = json.loads(EXAMPLE.read_text())
TABLE = SOUND["cathedral"]
RED, BLUE, GREEN, YELLOW = TABLE["players"]
EVENT, UNSEEN = TABLE["event"], TABLE["unseen_advantages"][0]
TWICE = next(card for card in BLUE["craftsmen"] if card[-1].isdigit() and card not in RED["craftsmen"])


def supply(**changes: int) -> dict[str, Any]:
    return {"supply": TABLE["supply"] | changes}


#   fields changed, and the faults: their fields and descriptions
FAULTS: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "a cube too many": (
        supply(wood=TABLE["supply"]["wood"] + 1), {"supply.wood": "players, market and supply hold 24; there are 23"}),
    "metal lies at court": (
        supply(metal=TABLE["supply"]["metal"] - 2), {"supply.metal": "players, court and supply hold 11; there are 13"}
    ),
    "a card in two places": (
        {"red": {"craftsmen": [*RED["craftsmen"], TWICE]}},
        {"players[1].craftsmen": f"{TWICE!r} is also in players[0].craftsmen"}),
    "an advantage that is held and unseen": (
        {"green": {"advantages": [*GREEN["advantages"], UNSEEN]}},
        {"players[2].advantages": f"{UNSEEN!r} is also in unseen_advantages"}),
    "the event of the round is not unseen": (
        {"unseen_events": [EVENT, *TABLE["unseen_events"]]}, {"unseen_events": f"{EVENT!r} is the event of this round"}
    ),
    "points and gold": (
        {"yellow": {"vp": YELLOW["vp"] + 1, "gold": 31}},
        {"players[3].vp": f"is {YELLOW['vp'] + 1}; 2 plus what was won less what was lost is {YELLOW['vp']}",
         "players[3].gold": "is 31; nobody has more than 30"}),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_what_does_not_add_up_is_named(name: str) -> None:
    assert from_position(SOUND).check() == 0
    changes, expected = FAULTS[name]
    found = faults_of_position(CATHEDRAL, SOUND, changes)
    assert dict(found) == {f"cathedral.{field}": description for field, description in expected.items()}


def test_all_faults_come_at_once_a_builder_too_many_among_them() -> None:
    changes = {
        **supply(sand=0, stone=0),
        "start": "blue",
        "red": {"vp": 500},
        "blue": {"bag": 3},
        "green": {"gold": 40},
    }
    found = dict(faults_of_position(CATHEDRAL, SOUND, changes))
    named = ["supply.sand", "supply.stone", "players[0].vp", "players[1]", "players[2].gold"]
    assert list(found) == [f"cathedral.{field}" for field in named]
    assert "builders of blue" in found["cathedral.players[1]"]
