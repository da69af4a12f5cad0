"""The worked examples of the rulebooks, on positions set by hand."""

import pytest
from clerestory.engine import State

from tests.engine.cathedral.positions import changed, fields, play, player, reach, starting, texts, words


def cathedral(**red: object) -> State:
    """The cathedral step of round 3; red acts."""
    return changed(reach("cathedral", round_=3), {"starting_player": "red", "to_act": "red"}, red=red)


def test_a_cathedral_step() -> None:
    craftsmen = ["mortar_mixer", "stonecutter", "toolmaker_1", "architect_2", "potter_2"]
    state = cathedral(sand=5, stone=3, metal=1, wood=0, gold=10, craftsmen=craftsmen)
    before = player(state, "red", "vp")
    play(state, "convert toolmaker_1 1", "convert mortar_mixer 1", "convert stonecutter 1")
    play(state, "convert architect_2 1", "convert potter_2 2")
    assert player(state, "red", "vp", "gold", "sand", "stone", "metal") == (before + 5, 12, 0, 1, 1)
    assert texts(state) == ["finish"]


def test_the_woodworkers_capacity_is_4() -> None:
    state = cathedral(wood=10, sand=0, stone=0, metal=0)
    assert texts(state) == [*(f"convert woodworker {times}" for times in range(1, 5)), "finish"]
    before = player(state, "red", "vp")
    play(state, "convert woodworker 4")
    assert player(state, "red", "vp", "wood") == (before + 4, 2)
    assert texts(state) == ["finish"]


def test_the_goldsmith() -> None:
    state = reach("cathedral", round_=5)
    state = changed(
        state, {"starting_player": "red", "to_act": "red"},
        red={"gold": 13, "craftsmen": starting("goldsmith_4"), "sand": 0, "wood": 0, "stone": 0, "metal": 0},
    )  # fmt: skip
    before = player(state, "red", "vp")
    play(state, "convert goldsmith_4 1")
    assert texts(state) == ["finish"]  # never the same one twice running
    state.undo()
    play(state, "convert goldsmith_4 4")
    assert player(state, "red", "vp", "gold") == (before + 4, 1)


def test_the_cost_of_builders() -> None:
    """The 1st to 7th cost 7 to 1, the later ones 0; a builder returned does not count."""
    state, costs = reach("draw", seats=4), []
    while fields(state)["step"] == "draw":
        colour = words(state, "draw")[0]
        play(state, f"draw {colour}")
        if not costs:
            play(state, "redraw", f"draw {colour}")
        elif fields(state)["step"] == "redraw":
            play(state, "accept")
        costs.append(fields(state)["cost"])
        waits = [text for text in texts(state) if text.startswith("wait")]
        assert bool(waits) == (costs[-1] > 0)
        play(state, waits[0] if waits else texts(state)[0])
    assert costs == [7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0]


def test_with_two_players_six_builders_cost_7_to_2() -> None:
    state, costs = reach("draw"), []
    while fields(state)["step"] == "draw":
        play(state, f"draw {words(state, 'draw')[0]}", "accept")
        costs.append(fields(state)["cost"])
        play(state, [text for text in texts(state) if text.startswith("wait")][0])  # noqa: RUF015
    assert costs == [7, 6, 5, 4, 3, 2]
    assert (fields(state)["step"], fields(state)["cost"]) == ("waiting", 0)


def test_waiting_builders_are_placed_in_the_order_in_which_they_passed() -> None:
    state, order = reach("draw"), []
    for colour in ("red", "blue", "red", "blue", "blue", "red"):
        play(state, f"draw {colour}", "accept")
        play(state, f"wait {colour}" if len(order) < 3 else f"place {colour} market")
        order.append(colour)
    assert fields(state)["waiting"] == order[:3] == ["red", "blue", "red"]
    for colour in order[:3]:
        assert fields(state)["to_act"] == colour
        assert all(text.startswith(f"place {colour} ") for text in texts(state))
        play(state, texts(state)[0])
    assert fields(state)["step"] == "event"


def test_a_market() -> None:
    """Two stalls, lap after lap; at the end green and red have no gold left."""
    state = changed(
        reach("cathedral", seats=3),
        {"step": "market", "stall": 1, "market": ["green", "red", "", "", ""], "to_act": "green"},
        green={"gold": 7, "metal": 1}, red={"gold": 2, "stone": 1},
    )  # fmt: skip
    sand = fields(state)["stock"]["sand"]
    for colour, action, gold in [
        ("green", "buy wood 2", 1), ("red", "sell stone 1", 6), ("green", "sell metal 1", 6), ("red", "buy wood 2", 0),
        ("green", "buy sand 3", 0), ("red", "leave", 0), ("green", "leave", 0),
    ]:  # fmt: skip
        assert fields(state)["to_act"] == colour
        play(state, action)
        assert player(state, colour, "gold") == gold
    assert fields(state)["stock"] == {"sand": sand - 3, "wood": 0, "stone": 4}
    assert fields(state)["step"] == "cathedral"


@pytest.mark.parametrize(("gold", "left", "lost"), [(2, 0, 1), (3, 0, 1), (1, 0, 2), (5, 0, 0), (9, 4, 0), (0, 0, 2)])
def test_short_of_gold_for_a_tax_of_5(gold: int, left: int, lost: int) -> None:
    state = at_the_roll({"gold": gold, "vp": 10})
    play(state, "roll 5")
    assert player(state, "red", "gold", "vp", "vp_lost") == (left, 10 - lost, lost)


def test_vp_never_fall_below_0() -> None:
    state = at_the_roll({"gold": 0, "vp": 1, "vp_lost": 1})
    play(state, "roll 5")
    assert player(state, "red", "vp", "vp_lost") == (0, 2)


def at_the_roll(red: dict[str, object]) -> State:
    """Before the tax of round 1; nobody is at court or exempt, red has the given values."""
    none = {"advantages": [], "fresh": []}
    return changed(reach("tax"), {"court": [""] * 4}, red={**none, "vp_priory": 0, "vp_cards": 0, **red}, blue=none)
