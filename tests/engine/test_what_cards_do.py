"""Features of cards: effects, named by kind and independently of the cards in use; distances between catalogues."""

from collections.abc import Callable
from typing import Any

import pytest

from clerestory.engine import Game
from clerestory.engine.catalogue import Catalogue
from clerestory.engine.cathedral.data.catalogue import CathedralCatalogue
from clerestory.engine.cathedral.inputs import inputs_of as cathedral_inputs
from clerestory.engine.duel.data.catalogue import DuelCatalogue
from clerestory.engine.duel.inputs import inputs_of as duel_inputs
from clerestory.engine.inputs import Inputs
from clerestory.engine.values.value import FARTHEST, LEARNED, distance_of, value_in_use, value_of
from clerestory.engine.values.weights import distance
from tests.shipped import CATHEDRAL, DUEL

ReadInputs = Callable[[Any], tuple[Inputs, Inputs]]
GAMES: list[tuple[Game, type[Catalogue], ReadInputs]] = [
    (CATHEDRAL, CathedralCatalogue, cathedral_inputs),
    (DUEL, DuelCatalogue, duel_inputs),
]
#   the correction, and the beginnings of the places of the cards that it changes
CORRECTED = {
    "cathedral": ("capacity = 4", "capacity = 3", ("craftsman.", "shiring_craftsman.", "offered_craftsman.")),
    "duel": ('"income", gold = 4', '"income", gold = 9', ("marked.income_4", "using.income_4", "lying.income_4")),
}


def changed(kind: type[Catalogue], before: str, after: str, count: int = -1) -> Any:
    text = kind.shipped.read_text("utf-8")
    assert before in text
    return kind.parse(text.replace(before, after, count))


@pytest.mark.parametrize(("rules", "kind", "inputs"), GAMES, ids=["cathedral", "duel"])
def test_a_corrected_card_changes_what_it_does_and_nothing_else(
    rules: Game, kind: type[Catalogue], inputs: ReadInputs
) -> None:
    before, after, places = CORRECTED[rules.name]
    found = set()
    for now, then in zip(inputs(changed(kind, before, after, 1)), rules.sides, strict=True):
        assert now.names == then.names
        assert len(now.rows) == len(then.rows)
        assert now.cards.keys() == then.cards.keys()
        found |= {card for card, row in now.cards.items() if row != then.cards[card]}
        assert sum(a != b for a, b in zip(now.rows, then.rows, strict=True)) == len(found & set(now.cards))
    assert found
    assert [card for card in found if not card.startswith(places)] == []


@pytest.mark.parametrize(("rules", "kind", "inputs"), GAMES, ids=["cathedral", "duel"])
def test_features_are_named_by_what_cards_do(rules: Game, kind: type[Catalogue], inputs: ReadInputs) -> None:
    card = {"cathedral": "mortar_mixer", "duel": "income_4"}[rules.name]
    for now, then in zip(inputs(changed(kind, f'"{card}"', '"somebody"')), rules.sides, strict=True):
        assert (now.names, now.rows) == (then.names, then.rows)
        assert not any(name.endswith(f".{card}") for name in now.cards)


def test_what_a_card_does_by_hand() -> None:
    [own, table] = CATHEDRAL.sides
    named = {own.names[feature]: amount for feature, amount in own.cards["craftsman.mortar_mixer"]}
    row = next(row for row in CATHEDRAL.cards()["starting_craftsmen"] if row["id"] == "mortar_mixer")
    assert named["craftsman.capacity"] == row["capacity"] / 4
    assert named["craftsman.takes.sand"] == row["takes"]["sand"] / 4
    assert "craftsman.takes.wood" not in named
    assert not any(name.endswith("cost") for name in own.names)  # irrelevant once it is paid
    assert any(name.endswith("cost") for name in table.names)


def test_distances_by_hand() -> None:
    one = {"a": [[1, 2.0], [2, 1.0]], "b": [[1, 1.0]]}
    assert distance(one, one) == 0
    assert distance(one, {**one, "a": [[1, 1.0], [2, 1.0]]}) == pytest.approx(1 / 4)
    assert distance(one, {"a": one["a"]}) == distance({"a": one["a"]}, one) == pytest.approx(1 / 4)
    assert distance(one, {"c": [[1, 1.0]]}) == 1
    assert distance({}, {}) == 0


@pytest.mark.parametrize(
    ("rules", "seats", "value"), [(CATHEDRAL, 2, "net-2"), (CATHEDRAL, 3, "net-3"), (DUEL, 2, LEARNED)]
)
def test_near_cards_keep_the_learned_value_and_far_ones_do_not(
    rules: Game, seats: int, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = value_of(rules, value).weights
    assert weights is not None
    assert distance_of(rules, weights) == 0
    monkeypatch.setattr("clerestory.engine.values.weights.Weights.catalogue", "other")
    name, why = value_in_use(rules, seats)
    assert name == value
    assert "; these cards are 0.0% away from those of the learned value, which holds up to" in why
    for far, name in ((FARTHEST, value), (FARTHEST + 0.01, "hand")):
        monkeypatch.setattr("clerestory.engine.values.value.distance_of", lambda *_, far=far: far)
        assert value_in_use(rules, seats)[0] == name
