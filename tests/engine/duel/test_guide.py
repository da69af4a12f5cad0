"""The guide: informed play is far better than random play, greedy play better still; the value foresees results."""

from collections.abc import Callable
from functools import partial
from statistics import correlation

import pytest

from clerestory.engine import Rng, State
from clerestory.engine.duel.guide import TERM_NAMES, terms_of, weights_of
from tests.engine.duel.scenes import changed, drawn, fields, informed, reach, texts
from tests.engine.foresight import foreseen_and_came
from tests.shipped import DUEL

Weigh = Callable[[State], list[float]]


def uniform(state: State) -> list[float]:
    return [1.0] * len(state.legal_codes())


def greedy(state: State) -> list[float]:
    """All weight on the action with the largest lead directly after it, before any chance event."""
    leads = []
    for code in state.legal_codes():
        after = state.copy()
        after.play(code)
        values = after.value()
        leads.append(values[state.turn] - values[1 - state.turn])
    return [float(lead == max(leads)) for lead in leads]


def won(first: Weigh, second: Weigh, games: int) -> float:
    """The win share of the first player's weights, in either colour."""
    total = 0.0
    for seed in range(games):
        rng = Rng(seed)
        state = DUEL.new(2, rng)
        while not state.over:
            state.play(drawn(state, rng, first if state.turn == seed % 2 else second))
        total += state.returns()[seed % 2]
    return total / games


@pytest.mark.parametrize(
    ("better", "worse", "share"),
    [(informed, uniform, 0.9), (greedy, informed, 0.55)],  # 1.00 and 0.68 were measured
    ids=["informed-uniform", "greedy-informed"],
)
def test_one_beats_the_other(better: Weigh, worse: Weigh, share: float) -> None:
    assert won(better, worse, 60) > share


def test_the_value_before_the_last_round_foresees_the_margin() -> None:
    player = partial(drawn, weigh=informed)
    games = foreseen_and_came(DUEL, range(50), lambda at: (at["phase"], at["round"]) == (4, 3), player)
    foreseen, came = zip(*games, strict=True)
    assert len(came) > 30
    assert correlation(foreseen, came) > 0.6


def test_what_a_player_has_is_worth_something_while_it_can_be_used() -> None:
    state = reach("claim", phase=2)
    base = state.value()
    richer = changed(state, red={"gold": fields(state)["players"][0]["gold"] + 5})
    assert richer.value()[0] > base[0]
    assert richer.value()[1] == base[1]


def test_weights_prefer_what_a_player_would() -> None:
    state = reach("craftsman", until=lambda state: len(texts(state)) > 1)
    weights = dict(zip(texts(state), state.weights(), strict=True))
    *fewer, most = sorted(weights)
    assert all(weights[most] > weights[text] for text in fewer)
    state = reach("turn", until=lambda state: any(text.startswith("use income") for text in texts(state)))
    weights = dict(zip(texts(state), state.weights(), strict=True))
    assert max(weights[text] for text in weights if text.startswith("use income")) > weights["end"]


def test_weights_not_named_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    state = DUEL.new(2, 1)
    monkeypatch.setitem(DUEL.hand_values, "hand", weights_of({"weights": {"camp": [1, 2, 3]}}))
    assert state.value() == (3.03, 3.03)
    last = reach("deal", phase=4, until=lambda state: fields(state)["round"] == 3)
    terms = [terms_of(last, seat) for seat in range(2)]
    assert last.value() == pytest.approx([points + 3 * named["camp"] for _, points, named in terms])


def test_terms_say_what_is_counted() -> None:
    round_, points, terms = terms_of(DUEL.new(2, 1), 0)
    assert (round_, points) == (0, 0.03)
    assert tuple(terms) == TERM_NAMES
    assert {name: value for name, value in terms.items() if value} == {
        "unclaimed": 1, "choosing": 1, "camp": 3, "purse": 3, "seals": 3, "marker": 1,
    }  # fmt: skip


def test_features_have_names() -> None:
    assert DUEL.new(2, 1).features(1) == {
        "points": 0.03, "sections": 0, "placed": 0, "gold": 3, "materials": 0, "raw": 3, "useful_materials": 0,
        "useful_raw": 3, "seals": 3, "cards": 0, "markers": 0, "power": 0,
    }  # fmt: skip
