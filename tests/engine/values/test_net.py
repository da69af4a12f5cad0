"""The net: its results, to the last bit, their independence, and the shipped values."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from clerestory.engine import Game, State, game
from clerestory.engine.elementary import exp
from clerestory.engine.errors import BadWeights
from clerestory.engine.values.value import value_of
from clerestory.engine.values.weights import shapes, write_weights
from tests.engine.test_inputs import LEARNED, places, sampled
from tests.shipped import CATHEDRAL

Arrays = dict[str, Any]
Reals = NDArray[np.float32]


@pytest.fixture(scope="module", params=LEARNED, ids=lambda rules: rules.name)
def rules(request: pytest.FixtureRequest) -> Game:
    found: Game = request.param
    return found


@cache
def arrays_of(rules: Game) -> Arrays:
    """Return weights as large as learned ones, with half of the hidden units active."""
    rng = np.random.default_rng(3)
    return {name: (0.3 * rng.normal(size=shape)).astype(np.float32) for name, shape in shapes(rules).items()}


@pytest.fixture(scope="module")
def path(rules: Game, tmp_path_factory: pytest.TempPathFactory) -> str:
    found = tmp_path_factory.mktemp("weights") / "value.bin"
    write_weights(found, arrays_of(rules), {}, game=rules)
    return str(found)


def positions(rules: Game, every: int = 5) -> Iterator[State]:
    for seats in rules.seats:
        for seed in range(2):
            yield from sampled(rules, seats, seed, every)


def added(start: Reals, amounts: Reals, rows: Reals) -> Reals:
    """Return the start plus each row times its amount, added in order, without features that are 0."""
    total = start.copy()
    for i in np.flatnonzero(amounts):
        total += rows[i] * amounts[i]
    return total


def by_place(net: Arrays, rules: Game) -> Arrays:
    """Return the net with a row for each place: the weights of its features, times their amounts, added in order."""
    of_seat, of_table = rules.sides
    sides = {"own": of_seat, "others": of_seat, "table": of_table}
    return {**net, **{name: np.stack([summed(row, net[name]) for row in side.rows]) for name, side in sides.items()}}


def summed(row: Sequence[tuple[int, float]], weights: Reals) -> Reals:
    total = np.zeros(32, np.float32)
    for feature, amount in row:
        total += weights[feature] * np.float32(amount)
    return total


def plain_net(net: Arrays, own: Reals, table: Reals) -> tuple[list[np.float32], list[np.float32]]:
    """Return scores to come and strengths by seat, in the order of additions of engine/values/net_kernel.h."""
    zeros = np.zeros(32, np.float32)
    shared = added(net["bias"], table, net["table"])
    mine = [added(zeros, x, net["own"]) for x in own]
    theirs = [added(zeros, x, net["others"]) for x in own]
    everybody = zeros.copy()
    for one in theirs:
        everybody += one
    share = np.float32(1) / np.float32(len(own) - 1)
    scores, strengths = [], []
    for a, b in zip(mine, theirs, strict=True):
        hidden = np.maximum(a + (everybody - b) * share + shared, np.float32(0))
        second = net["second_bias"].copy()
        for unit, row in zip(hidden, net["second"], strict=True):
            second += row * unit
        second = np.maximum(second, np.float32(0))
        scores.append(in_halves(second, net["score"]) + net["score_bias"][0])
        strengths.append(in_halves(second, net["strength"]))
    return scores, strengths


def in_halves(second: Reals, row: Reals) -> np.float32:
    """Even units, then odd ones."""
    sums = [np.float32(0), np.float32(0)]
    for i, product in enumerate(second * row):
        sums[i % 2] += product
    return sums[0] + sums[1]


def softmax(strengths: list[np.float32]) -> list[float]:
    powers = [exp(float(strength) - float(max(strengths))) for strength in strengths]
    total = 0.0
    for power in powers:
        total += power
    return [power / total for power in powers]


def test_it_equals_a_plain_net_to_the_last_bit(rules: Game, path: str) -> None:
    value, net = value_of(rules, path), by_place(arrays_of(rules), rules)
    states = [state for state in positions(rules) if not state.over]
    assert len(states) > 50
    for state in states:
        own, table, points = places(state)
        scores, strengths = plain_net(net, own[0], table[0])
        expected = tuple(float(point) + float(score) for point, score in zip(points[0], scores, strict=True))
        if rules is CATHEDRAL:  # points are whole numbers
            assert value(state) == (expected, tuple(softmax(strengths)))
        assert value(state)[0] == pytest.approx(expected, abs=1e-5)


def test_narrow_vectors_give_the_bits_of_wide_ones(rules: Game, path: str) -> None:
    wide, narrow = value_of(rules, path), value_of(rules, path, narrow=True)
    assert narrow is not wide
    for state in positions(rules, every=2):
        assert narrow(state) == wide(state)


def test_at_the_end_it_is_the_result(rules: Game, path: str) -> None:
    value, ends = value_of(rules, path), [state for state in positions(rules) if state.over]
    assert [value(end) for end in ends] == [(end.final_scores(), end.win_shares()) for end in ends] != []


def test_hidden_cards_do_not_matter(rules: Game, path: str) -> None:
    value = value_of(rules, path)
    for state in positions(rules, every=11):
        for seat in range(-1, state.seats):
            assert value(state.observe(seat)) == value(state) == value(state.observe(seat).determinize(7))


def write_negated(path: Path, rules: Game) -> None:
    write_weights(path, {name: -array for name, array in arrays_of(rules).items()}, {"changed": True}, game=rules)


def test_several_values_live_side_by_side(rules: Game, path: str, tmp_path: Path) -> None:
    write_negated(tmp_path / "other.bin", rules)
    one, another, hand = (value_of(rules, name) for name in (path, str(tmp_path / "other.bin"), "hand"))
    state = rules.new(2, 1)
    first = one(state)
    assert another(state) != first
    assert hand(state) == (state.value(), None)
    assert one(state) == first
    assert value_of(rules, path) is one
    assert (one.name, hand.name, hand.weights) == (path, "hand", None)
    assert one.weights is not None


def test_a_file_that_was_replaced_is_read_again(rules: Game, tmp_path: Path) -> None:
    path = tmp_path / "value.bin"
    write_weights(path, arrays_of(rules), {}, game=rules)
    state, before = rules.new(2, 1), value_of(rules, str(path))
    write_negated(path, rules)
    assert value_of(rules, str(path))(state) != before(state)


def test_unknown_values_are_rejected(rules: Game, tmp_path: Path) -> None:
    with pytest.raises(BadWeights, match=r"'foot' is neither a value of .* \(hand.*\) nor a file of weights"):
        value_of(rules, "foot")
    (tmp_path / "faulty.bin").write_bytes(b"no weights")
    with pytest.raises(BadWeights, match=r"faulty\.bin: is not a file of weights"):
        value_of(rules, str(tmp_path / "faulty.bin"))


# The shipped values, to the last bit: a change of the features, the net or the file fails here --------------------

SIGNATURES = {
    ("cathedral", "net", 2): "2801e64d",
    ("cathedral", "net", 3): "7f387970",
    ("cathedral", "net", 4): "1556a034",
    ("cathedral", "net-2", 2): "e2c8b8ae",
    ("cathedral", "net-3", 3): "31e076c1",
    ("cathedral", "net-4", 4): "3bc25e24",
    ("duel", "net", 2): "a61ae4c2",
}


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
@pytest.mark.parametrize(("name", "shipped", "seats"), SIGNATURES)
def test_the_signature_of_a_shipped_value(name: str, shipped: str, seats: int, narrow: bool) -> None:
    """On 20 positions of random games, with vectors of either width."""
    rules = game(name)
    states = [state for seed in range(4) for state in sampled(rules, seats, seed, 11)[:5]]
    assert len(states) == 20
    value = value_of(rules, shipped, narrow=narrow)
    assert value.signature(states) == SIGNATURES[name, shipped, seats]
    assert len({value.signature(states), value.signature(states[1:]), value_of(rules, "hand").signature(states)}) == 3
