"""The preferences of the guide's value and weights."""

from tests.engine.cathedral.scenes import changed, reach, texts


def test_cubes_and_gold_are_worth_something_while_they_can_be_used() -> None:
    state = reach("draft", round_=3)
    assert changed(state, red={"gold": 20}).value()[0] > changed(state, red={"gold": 10}).value()[0]
    assert changed(state, red={"sand": 3}).value()[0] > changed(state, red={"sand": 0}).value()[0]
    assert changed(state, red={"gold": 20}).value()[1] == state.value()[1]


def test_weights_prefer_what_a_player_would() -> None:
    red_first = {"starting_player": "red", "to_act": "red"}
    state = changed(reach("cathedral", round_=3), red_first, red={"sand": 0, "wood": 8})
    weights = dict(zip(texts(state), state.weights(), strict=True))
    assert weights["convert woodworker 4"] > weights["convert woodworker 1"] > weights["finish"]
