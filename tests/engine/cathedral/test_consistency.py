"""A position that does not add up is refused, naming all invalid fields at once."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from clerestory.engine import BadPosition, from_position

EXAMPLE = Path(__file__).parents[3] / "examples" / "positions" / "cathedral-4p-round6-market.json"
SOUND: dict[str, Any] = json.loads(EXAMPLE.read_text())


def faults(**changes: Any) -> dict[str, str]:
    """The faults found after fields were changed: `a__b=1` is field b of a, `p2__b` of player 2."""
    position = copy.deepcopy(SOUND)
    for path, value in changes.items():
        *parents, name = path.split("__")
        target = position["cathedral"]
        for parent in parents:
            target = target["players"][int(parent[1:])] if parent[0] == "p" else target[parent]
        target[name] = value
    with pytest.raises(BadPosition) as caught:
        from_position(position)
    return {violation.field.removeprefix("cathedral."): violation.description for violation in caught.value.violations}


def of(seat: int, name: str) -> Any:
    return SOUND["cathedral"]["players"][seat][name]


def test_the_example_is_sound() -> None:
    assert from_position(SOUND).check() == 0


def test_a_cube_too_many() -> None:
    wood = SOUND["cathedral"]["supply"]["wood"]
    assert faults(supply__wood=wood + 1) == {"supply.wood": "players, market and supply hold 24; there are 23"}


def test_metal_lies_at_court() -> None:
    metal = SOUND["cathedral"]["supply"]["metal"]
    assert faults(supply__metal=metal - 2) == {"supply.metal": "players, court and supply hold 11; there are 13"}


def test_a_card_in_two_places() -> None:
    twice = next(card for card in of(1, "craftsmen") if card[-1].isdigit() and card not in of(0, "craftsmen"))
    found = faults(p0__craftsmen=[*of(0, "craftsmen"), twice])
    assert found == {"players[1].craftsmen": f"{twice!r} is also in players[0].craftsmen"}


def test_an_advantage_that_is_held_and_unseen() -> None:
    card = SOUND["cathedral"]["unseen_advantages"][0]
    found = faults(p2__advantages=[*of(2, "advantages"), card])
    assert found == {"players[2].advantages": f"{card!r} is also in unseen_advantages"}


def test_the_event_of_the_round_is_not_unseen() -> None:
    unseen = SOUND["cathedral"]["unseen_events"]
    event = SOUND["cathedral"]["event"]
    assert faults(unseen_events=[event, *unseen]) == {"unseen_events": f"{event!r} is the event of this round"}


def test_a_builder_too_many() -> None:
    found = faults(start="blue", p1__bag=3)
    assert list(found) == ["players[1]"]
    assert "builders of blue" in found["players[1]"]


def test_points_and_gold() -> None:
    vp = of(3, "vp")
    assert faults(p3__vp=vp + 1, p3__gold=31) == {
        "players[3].vp": f"is {vp + 1}; 2 plus what was won less what was lost is {vp}",
        "players[3].gold": "is 31; nobody has more than 30",
    }


def test_all_faults_at_once() -> None:
    found = faults(supply__sand=0, supply__stone=0, p0__vp=500, start="blue", p1__bag=3, p2__gold=40)
    assert list(found) == ["supply.sand", "supply.stone", "players[0].vp", "players[1]", "players[2].gold"]
