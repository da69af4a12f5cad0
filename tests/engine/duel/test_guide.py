"""The preferences of the guide's value and weights, and the terms it counts."""

import pytest

from clerestory.engine.duel.guide import TERM_NAMES, terms_of, weights_of
from tests.engine.duel.scenes import changed, fields, reach, texts
from tests.shipped import DUEL


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


def test_terms_and_features_say_what_is_counted() -> None:
    round_, points, terms = terms_of(DUEL.new(2, 1), 0)
    assert (round_, points) == (0, 0.03)
    assert tuple(terms) == TERM_NAMES
    assert {name: value for name, value in terms.items() if value} == {
        "unclaimed": 1, "choosing": 1, "camp": 3, "purse": 3, "seals": 3, "marker": 1,
    }  # fmt: skip
    assert DUEL.new(2, 1).features(1) == {
        "points": 0.03, "sections": 0, "placed": 0, "gold": 3, "materials": 0, "raw": 3, "useful_materials": 0,
        "useful_raw": 3, "seals": 3, "cards": 0, "markers": 0, "power": 0,
    }  # fmt: skip
