"""The guide: informed play is far better than random play, and the value foresees the result."""

from bisect import bisect
from itertools import accumulate
from statistics import correlation, mean

from clerestory.engine import NATURE, Rng, State
from tests.engine.cathedral.scenes import changed, reach, texts
from tests.engine.foresight import foreseen_and_came
from tests.shipped import CATHEDRAL

SEATS = 3


def informed(state: State, rng: Rng) -> int:
    """A legal code drawn by the weights, or an outcome drawn for Nature."""
    if state.turn == NATURE:
        return state.draw(rng).code
    weights = state.weights()
    drawn = bisect(list(accumulate(weights)), rng.unit() * sum(weights))
    return state.legal_codes()[min(drawn, len(weights) - 1)]


def test_informed_play_beats_random_play() -> None:
    games = 60
    won = 0.0
    for seed in range(games):
        rng = Rng(seed)
        state = CATHEDRAL.new(SEATS, rng)
        while not state.over:
            ours = state.turn in (NATURE, seed % SEATS)
            legal = state.legal_codes()
            state.play(informed(state, rng) if ours else legal[rng.below(len(legal))])
        won += state.returns()[seed % SEATS]
    assert won / games > 0.75  # 1/3 is chance; 0.9 was measured


def test_the_value_before_the_last_cathedral_foresees_the_margin() -> None:
    games = foreseen_and_came(CATHEDRAL, range(40), lambda at: (at["round"], at["step"]) == (6, "tax"), informed)
    foreseen, came = zip(*games, strict=True)
    assert len(came) == 40
    assert correlation(foreseen, came) > 0.6
    assert abs(mean(foreseen) - mean(came)) < 4


def test_cubes_and_gold_are_worth_something_while_they_can_be_used() -> None:
    state = reach("draft", round_=3)
    base = state.value()
    assert changed(state, red={"gold": 20}).value()[0] > changed(state, red={"gold": 10}).value()[0]
    assert changed(state, red={"sand": 3}).value()[0] > changed(state, red={"sand": 0}).value()[0]
    assert changed(state, red={"gold": 20}).value()[1] == base[1]


def test_weights_prefer_what_a_player_would() -> None:
    state = changed(
        reach("cathedral", round_=3), {"starting_player": "red", "to_act": "red"}, red={"sand": 0, "wood": 8}
    )
    weights = dict(zip(texts(state), state.weights(), strict=True))
    assert weights["convert woodworker 4"] > weights["convert woodworker 1"] > weights["finish"]
