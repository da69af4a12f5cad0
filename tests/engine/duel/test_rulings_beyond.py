"""Cases that the specification leaves open, on both models: the rulings of RULES.md, and the pointing cards."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.engine.duel.oracle_models import Game, NewGame
from tests.engine.duel.oracle_scenes import before_claims, dealt, in_turn, look, offered, play_all


class Case(NamedTuple):
    """A first player's turn (`setting` goes to `in_turn`), what is played, what is then offered, and what is seen."""

    setting: dict[str, Any]
    actions: str
    offers: str
    seen: dict[str, Any]


def case(own: str, actions: str, offers: str, seen: dict[str, Any] | None = None, **setting: Any) -> Case:
    return Case({"colour": "red", "own": own.split(), **setting}, actions, offers, seen or {})


BROKE = {"gold": 0, "raw": []}
PLACED = {"placed": {"I": ["beam", "mortar"], "II": ["cloth"]}}

CASES = {
    "D7: what Remigius points at is used once more, its own use stays": case(
        "brother_remigius income_5",
        "use brother_remigius; use income_5",
        "end; use income_5",
        {"red.gold": 5, "red.used": "0"},
        red=BROKE,
    ),
    "D48: Stephen waits until a purchase is over, however little gold is left": case(
        "influence",
        "use influence; buy seal; draw 1/4",
        "done; buy seal",
        red={"gold": 4, "raw": [], "once": ["king_stephen"]},
        blue={"gold": 9},
        phase=2,
        round_=2,
    ),
    "D48: and then comes too late for it": case(
        "influence",
        "use influence; buy seal; draw 1/4; done; play king_stephen",
        "end",
        {"red.gold": 9},
        red={"gold": 4, "raw": [], "once": ["king_stephen"]},
        blue={"gold": 9},
        phase=2,
        round_=2,
    ),
    "D10: Alfred sells any number, as far as gold and chips go": case(
        "alfred_builder",
        "use alfred_builder; buy wool; buy wool",
        "build II cloth; build III cloth; end",
        {"red.gold": 3, "red.made": "cloth cloth"},
        phase=2,
        red={"gold": 13, "raw": []},
    ),
    "D36: Aliena names the number at once": case(
        "aliena",
        "use aliena",
        "sell wool 1; sell wool 2; sell wool 3",
        colour="blue",
        blue={"gold": 0, "raw": ["wool"] * 3},
    ),
    "D37: wool can be sold to an empty bank": case(
        "market_2", "", "end; use market_2", red={"gold": 0, "raw": ["wool"]}, blue={"gold": 74}
    ),
    "D38: a sale is paid as one, with what there is": case(
        "aliena",
        "use aliena; sell wool 4",
        "end",
        {"blue.gold": 9, "bank": 0, "blue.raw": ""},
        colour="blue",
        blue={"gold": 1, "raw": ["wool"] * 4},
        red={"gold": 65},
    ),
    "D40: a pointing card is used up as soon as it is named": case(
        "brother_remigius",
        "use brother_remigius",
        "use income_4; use income_5; use income_6",
        {"step": "copy", "red.used": "0"},
        free=["income_5"],
        red=BROKE,
    ),
    "D41: the Lord gives his use after building as well": case(
        "",
        "build I beam; play lord_in_court; use income_5",
        "end",
        {"red.gold": 5},
        phase=3,
        free=["income_5"],
        red={"gold": 2, "raw": [], "made": ["beam"], "once": ["lord_in_court"]},
    ),
    "D42: the opponent answers William in the player's turn": case(
        "william_hamleigh",
        "use william_hamleigh",
        "return I beam; return I mortar; return II cloth",
        {"to_act": "blue", "step": "william"},
        phase=2,
        red=BROKE,
        blue={"raw": [], **PLACED},
    ),
    "D42: the chip goes back to the opponent's supply, and the turn goes on": case(
        "william_hamleigh",
        "use william_hamleigh; return II cloth",
        "end",
        {"to_act": "red", "step": "turn", "blue.supply": "ore sand stone stone wood wool wool wool wool"},
        phase=2,
        red=BROKE,
        blue={"raw": [], **PLACED},
    ),
    "D43: seals of the bonus are drawn before the turn goes on": case(
        "income_4",
        "build I brick",
        "draw 1/4; draw 2/3",
        {"step": "draw", "to_act": "nature"},
        red={"gold": 2, "raw": [], "made": ["brick"], "placed": {"I": ["beam", "mortar"]}},
    ),
    "D43: bonus III is not asked without raw wood, sand or stone": case(
        "income_4",
        "build III bell",
        "end",
        {"step": "turn"},
        red={"gold": 2, "raw": ["wool"], "made": ["bell"], "placed": {"III": ["brick", "cloth"]}},
    ),
    "D43: no bonus for who is second": case(
        "income_4",
        "build I brick",
        "end",
        {"step": "turn", "red.gold": 0},
        red={"gold": 2, "raw": [], "made": ["brick"], "placed": {"I": ["beam", "mortar"]}},
        blue={"raw": [], "placed": {"I": ["beam", "mortar", "brick"]}},
    ),
}


def contested(model: NewGame) -> Game:
    """The conflict over the first place, red first."""
    return play_all(dealt(model, before_claims(), {}), "claim row 1", "claim column 1")


def test_who_has_flipped_all_is_not_asked(model: NewGame) -> None:
    """D47: behind after the own personal seal is lost, without a stop; nothing was flipped that could be kept."""
    game = contested(model)
    play_all(game, "flip personal", "face 2", "flip 1/4", "face 4")
    assert (look(game, "step"), look(game, "to_act")) == ("turn", "red")
    assert look(game, "blue.markers") == "0 3 6"
    assert look(game, "red.markers") == "1 2"


@pytest.mark.parametrize("name", CASES)
def test_ruling(model: NewGame, name: str) -> None:
    setting, actions, offers, seen = CASES[name]
    game = play_all(in_turn(model, **setting), *filter(None, actions.split("; ")))
    assert {text for text in offered(game) if not text.startswith("claim")} == set(offers.split("; "))
    assert {thing: look(game, thing) for thing in seen} == seen


def test_margins_are_differences_of_points(model: NewGame) -> None:
    """D46: 10 for a complete section, 1 for a material placed, 1/100 for a piece of gold."""
    placed = {"I": ["beam", "mortar", "brick"], "II": ["beam", "mortar", "cloth"], "III": ["brick", "cloth"]}
    red, blue = {"raw": [], "made": ["bell"], "placed": placed}, {"gold": 10, "placed": {"II": ["cloth"]}}
    game = play_all(in_turn(model, "red", [], red=red, blue=blue), "build III bell")
    assert (look(game, "step"), look(game, "red.gold")) == ("over", 1)
    assert game.margins() == pytest.approx([(30 + 9 + 0.01) - (1 + 0.1), (1 + 0.1) - (30 + 9 + 0.01)])
