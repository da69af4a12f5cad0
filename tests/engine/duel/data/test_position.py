"""Positions are validated strictly, with messages for all errors, and printed as a table."""

from functools import partial
from typing import Any

import pytest

from clerestory.engine import BadPosition, State
from tests.engine.duel.scenes import changed, fields, reach
from tests.engine.faulty import faults_of_position, matching
from tests.shipped import DUEL

OPENING = DUEL.new(2, 1).observe(0).to_position()
NO_CHIPS = {"wood": 0, "sand": 0, "stone": 0, "wool": 0, "ore": 0}


faults = partial(faults_of_position, DUEL)

FAULTS: list[tuple[dict[str, Any], str, str]] = [
    ({"phase": 5}, "phase", "must be at most 4"),
    ({"step": "tea"}, "step", "'tea'"),
    ({"power": "pink"}, "power", "'pink'"),
    ({"to_act": "green"}, "to_act", "'green'"),
    ({"grid": []}, "grid", "at least 9 entries"),
    ({"grid": ["dragon", *[""] * 8]}, "grid", "'dragon' is not a card of this list"),
    ({"card": "dragon"}, "card", "'dragon' is not a card of this list"),
    ({"deck": ["dragon"]}, "deck", "'dragon' is not a card of this list"),
    ({"open_uses": [{"card": "dragon", "left": 0}]}, "open_uses", "'dragon' is not a card of this list"),
    ({"open_uses": [{"card": "mason", "left": 0}] * 5}, "open_uses", "at most 4 entries"),
    ({"used": ["1.4"]}, "used[0]", "'1.4'"),
    ({"flipping": "3/2"}, "flipping", "'3/2'"),
    ({"floor": "brick"}, "floor", "'brick'"),
    ({"may_end": 1}, "may_end", "true or false"),
    ({"undealt": [*OPENING["duel"]["undealt"][:-1], "power"]}, "undealt", "'power' is there 2 times, undealt"),
    ({"red": {"supply": NO_CHIPS | {"clay": 1}}}, "players[0].supply.clay", "is not a field here"),
    ({"red": {"cards": ["power"]}}, "players[0].cards", "'power' is not a card of this list"),
    ({"red": {"cards": ["king_stephen"] * 2}}, "players[0].cards", "'king_stephen' is listed 2 times"),
    ({"red": {"section_1": ["cloth"]}}, "players[0].section_1", "'cloth' is more than beam, mortar, brick"),
    ({"red": {"section_3": ["bell"] * 2}}, "players[0].section_3", "'bell' is more than brick, cloth, bell"),
    ({"red": {"section_1": ["beam"] * 4}}, "players[0].section_1", "at most 3 entries"),
    # inconsistent totals
    ({"red": {"gold": 72}}, "players", "hold 75 gold; there is 74"),
    ({"red": {"camp": NO_CHIPS}}, "players[0]", "red has 1 wood and beam in supply, camp, materials and sections"),
    ({"red": {"section_1": ["beam"]}}, "players[0]", "red has 3 wood and beam"),
    ({"stack": ["0/5"]}, "stack", "3 neutral seals 0/5 in stack and with players; there are 2"),
    ({"red": {"seals": []}}, "stack", "1 neutral seals 0/5"),
    ({"seal_order": ["1/4"]}, "seal_order", "are not the unseen seals"),
]


@pytest.mark.parametrize(("changes", "field", "description"), FAULTS)
def test_a_fault_names_its_field(changes: dict[str, Any], field: str, description: str) -> None:
    found = faults(OPENING, changes)
    assert matching(found, f"duel.{field}", description), found


def test_all_faults_come_at_once() -> None:
    found = faults(OPENING, {"red": {"gold": 72, "seals": [], "camp": NO_CHIPS}})
    assert {field for field, _ in found} == {"duel.players", "duel.players[0]", "duel.stack"}
    assert len(found) == 1 + 3 + 3
    assert len(faults(OPENING, {"phase": 5, "round": 0, "step": "tea"})) == 3


#   invariant, the field at fault, fields of the opening
UNSOUND: list[tuple[int, str, dict[str, Any]]] = [
    (6, "step", {"step": "over", "to_act": ""}),
    (7, "undealt", {"undealt": OPENING["duel"]["undealt"][1:]}),
    (7, "undealt", {"round": 2}),
    (7, "undealt", {"step": "claim", "to_act": "red"}),
    (8, "", {"red": {"cards": ["king_stephen"]}}),
    (8, "", {"red": {"cards": ["studies_in_toledo"]}}),
    (10, "players", {"red": {"markers": ["1.1", "1.2", "1.3"]}}),
    (11, "", {"flipping": "0/5"}),
    (11, "", {"red": {"sum": 1}}),
    (12, "", {"turn_of": "red"}),
    (12, "", {"cheap": True}),
    (12, "", {"open_uses": [{"card": "influence", "left": 0}]}),
    (13, "card", {"card": "power"}),
    (13, "card", {"left": 1}),
    (13, "card", {"may_end": True}),
    (15, "to_act", {"to_act": "red"}),
    (16, "", {"deck": ["wood"]}),
]


@pytest.mark.parametrize(("invariant", "blamed", "changes"), UNSOUND)
def test_an_unsound_position_says_which_rule_it_breaks(invariant: int, blamed: str, changes: dict[str, Any]) -> None:
    """Errors in totals are found earlier, with their fields."""
    [(field, description)] = faults(OPENING, changes)
    assert field == f"duel.{blamed}".rstrip(".")
    assert description == f"breaks rule {invariant} of every position: {DUEL.invariants[invariant]}"


#   invariant, the field at fault, step, fields changed there
LATER: list[tuple[int, str, str, dict[str, Any]]] = [
    (10, "players", "conflict", {"red": {"markers": ["1.1"]}}),
    (10, "players", "turn", {"red": {"markers": []}}),
    (11, "", "turn", {"red": {"personal_flipped": True}}),
    (12, "", "turn", {"turn_of": ""}),
    (12, "", "turn", {"used": ["1.1", "1.2", "3.3"]}),
    (13, "card", "market", {"card": "", "left": 0}),
    (13, "card", "market", {"left": 9}),
    (13, "card", "regan", {"floor": ""}),
    (13, "card", "draw", {"seals_due": 9}),
    (13, "card", "take", {"left": 0}),
    (13, "card", "turn", {"open_uses": [{"card": "income_4", "left": 0}]}),
    (13, "card", "market", {"open_uses": [{"card": "market_2", "left": 9}]}),
    (13, "card", "market", {"open_uses": [{"card": "market_2", "left": 0}, {"card": "influence", "left": 1}]}),
    (12, "", "turn", {"built": True}),
    (14, "step", "conflict", {"step": "take_back", "to_act": "blue"}),
    (14, "step", "craftsman", {"red": {"gold": 0}}),
    (15, "to_act", "conflict", {"to_act": ""}),
]


@pytest.mark.parametrize(("invariant", "blamed", "step", "changes"), LATER)
def test_later_steps_have_their_invariants(invariant: int, blamed: str, step: str, changes: dict[str, Any]) -> None:
    state = reach(step, until=lambda state: step == "draw" or (state.turn == 0 and "" not in fields(state)["grid"]))
    [(field, description)] = faults(state.observe(0).to_position(), changes)
    assert field == f"duel.{blamed}".rstrip(".")
    assert description.startswith(f"breaks rule {invariant} of every position")


def test_no_1x_card_was_taken_or_played_before_it_can_be() -> None:
    claims = reach("claim")
    with pytest.raises(BadPosition, match=r"^duel\.grid: breaks rule 9 "):
        changed(claims, {"grid": ["", *fields(claims)["grid"][1:]]})
    with pytest.raises(BadPosition, match=r"^duel: breaks rule 12 "):
        changed(reach("turn"), {"cheap": True})


def test_who_has_lost_a_conflict_has_no_marker_on_its_card() -> None:
    state = reach("keep")
    loser = fields(state)["to_act"]
    winner = {"red": "blue", "blue": "red"}[loser]
    held = {colour: fields(state)["players"][seat]["markers"] for seat, colour in enumerate(("red", "blue"))}
    for place in held[winner]:
        markers = {loser: sorted([*held[loser], place]), winner: [one for one in held[winner] if one != place]}
        with pytest.raises(BadPosition, match=r"^duel\.players: breaks rule 10 "):
            changed(state, {}, **{colour: {"markers": places} for colour, places in markers.items()})


def test_before_the_castle_is_stormed_only_a_conflict_takes_a_marker() -> None:
    def is_early(state: State) -> bool:
        found = fields(state)
        return "" not in found["grid"] and "storming_the_castle" in found["undealt"]

    state = reach("turn", until=is_early)
    for seat, colour in enumerate(("red", "blue")):
        _, *markers = fields(state)["players"][seat]["markers"]
        with pytest.raises(BadPosition, match=r"^duel\.players: breaks rule 10 "):
            changed(state, {}, **{colour: {"markers": markers}})


def test_a_position_of_before_there_were_open_uses_has_none() -> None:
    earlier = {name: value for name, value in OPENING["duel"].items() if name != "open_uses"}
    assert DUEL.from_position(OPENING | {"duel": earlier}) == DUEL.from_position(OPENING)


def test_a_position_prints_as_a_table() -> None:
    state = DUEL.new(2, 1)
    lines = str(state).splitlines()
    assert lines[0] == "phase 1, round 1, deal, nature to act; first player red, power red"
    assert [line.split() for line in lines if line.startswith("gold")] == [["gold", "3", "3"]]
    assert any(line.startswith("camp") and "1 wood, 1 sand, 1 stone" in line for line in lines)
    table = str(reach("flip"))
    assert "flipping: " in table
    assert " = " in table.splitlines()[-2]
    marked = str(reach("market"))
    assert " <- red blue" not in marked
    assert "card in use: market" in marked
