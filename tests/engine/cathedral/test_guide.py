"""The guide: informed play is far better than random play, and the value foresees the result."""

from bisect import bisect
from itertools import accumulate
from statistics import correlation, mean

from clerestory.engine import NATURE, Rng, State
from tests.engine.cathedral.scenes import changed, reach, texts
from tests.engine.foresight import foreseen_and_came
from tests.shipped import CATHEDRAL


def informed(state: State, rng: Rng) -> int:
    """A legal code drawn by the weights, or an outcome drawn for Nature."""
    if state.turn == NATURE:
        return state.draw(rng).code
    weights = list(accumulate(state.weights()))
    return state.legal_codes()[min(bisect(weights, rng.unit() * weights[-1]), len(weights) - 1)]


def test_informed_play_beats_random_play() -> None:
    won = 0.0
    for seed in range(60):
        rng, us = Rng(seed), seed % 3
        state = CATHEDRAL.new(3, rng)
        while not state.over:
            legal = state.legal_codes()
            state.play(informed(state, rng) if state.turn in (NATURE, us) else legal[rng.below(len(legal))])
        won += state.returns()[us]
    assert won / 60 > 0.75  # 1/3 is chance; 0.9 was measured


def test_the_value_before_the_last_cathedral_foresees_the_margin() -> None:
    games = foreseen_and_came(CATHEDRAL, range(40), lambda at: (at["round"], at["step"]) == (6, "tax"), informed)
    foreseen, came = zip(*games, strict=True)
    assert len(came) == 40
    assert correlation(foreseen, came) > 0.6
    assert abs(mean(foreseen) - mean(came)) < 4


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
