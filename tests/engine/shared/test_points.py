"""What breaks ties of points."""

from typing import Any

import pytest

from clerestory.engine.cathedral.data import points as cathedral
from clerestory.engine.duel.data import points as duel


def cathedral_player(vp: int, gold: int) -> dict[str, Any]:
    return {"vp_priory": 0, "vp_craftsmen": vp, "vp_cards": 0, "vp_lost": 0, "gold": gold}


def duel_player(placed: int, gold: int) -> dict[str, Any]:
    return {"section_1": ["beam"] * placed, "section_2": [], "section_3": [], "gold": gold}


@pytest.mark.parametrize(
    ("players", "decided"),
    [
        ([(9, 5), (8, 9)], None),
        ([(9, 5), (9, 3)], ("gold", [5, 3])),
        ([(9, 5), (9, 3), (2, 30)], ("gold", [5, 3, 30])),
        ([(9, 5), (9, 5), (2, 30)], ("shared", [])),
    ],
)
def test_gold_breaks_ties_of_the_best(players: list[tuple[int, int]], decided: object) -> None:
    made = [cathedral_player(*player) for player in players]
    assert cathedral.TIE_BREAK.decides(made, cathedral.SOURCES) == decided


@pytest.mark.parametrize(
    ("players", "decided"),
    [([(3, 5), (2, 80)], None), ([(3, 5), (3, 6)], ("gold", [5, 6])), ([(3, 5), (3, 5)], ("seat", []))],
)
def test_hundredths_of_points_are_a_tie_break(players: list[tuple[int, int]], decided: object) -> None:
    made = [duel_player(*player) for player in players]
    assert duel.TIE_BREAK.decides(made, duel.SOURCES) == decided
