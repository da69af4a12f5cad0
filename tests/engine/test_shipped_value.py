"""The shipped learned values, to the last bit: a change of the features, the net or the file fails here."""

import pytest

from clerestory.engine import Game
from clerestory.engine.value import LEARNED as NET
from clerestory.engine.value import value_of
from tests.engine.test_inputs import LEARNED, sampled

SIGNATURES = {
    ("cathedral", 2): "2801e64d",
    ("cathedral", 3): "7f387970",
    ("cathedral", 4): "1556a034",
    ("duel", 2): "2011c0fb",
}
CASES = [(rules, seats) for rules in LEARNED for seats in rules.seats]


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
@pytest.mark.parametrize(("rules", "seats"), CASES, ids=lambda one: getattr(one, "name", str(one)))
def test_golden_signature(rules: Game, seats: int, narrow: bool) -> None:
    """On 20 positions of random games, with vectors of either width."""
    states = [state for seed in range(4) for state in sampled(rules, seats, seed, 11)[:5]]
    assert len(states) == 20
    assert value_of(rules, NET, narrow=narrow).signature(states) == SIGNATURES[rules.name, seats]


def test_a_signature_tells_values_apart() -> None:
    rules = LEARNED[0]
    states = sampled(rules, 2, 1, 11)
    found = {value_of(rules, name).signature(states) for name in (NET, "hand")}
    assert len(found) == 2
    assert value_of(rules, NET).signature(states[1:]) not in found
