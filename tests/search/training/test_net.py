"""The net is symmetric in the seats, and its gradient is that of its losses."""

from collections.abc import Callable

import numpy as np
import pytest

from clerestory.search.training.fit import gradient_of
from clerestory.search.training.losses import loss_of_lines, loss_of_positions
from clerestory.search.training.net import SCALE, NetWeights, begin_weights, forward, in_points, in_units, softmax
from tests.search.training.made import OWN, TABLE, Array, encode, samples


def double(weights: NetWeights) -> NetWeights:
    """Return weights in double precision, moved away from zero, where relu has no slope."""
    luck = np.random.default_rng(1)
    return {name: array.astype(float) + luck.normal(0, 0.1, array.shape) for name, array in weights.items()}


WEIGHTS = double(begin_weights(OWN, TABLE, 0))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_seats_that_change_places_change_values(seats: int) -> None:
    own, table, _ = encode(samples(seats, 20, 3).positions.state)
    order = np.roll(np.arange(seats), 1)
    plain, turned = forward(WEIGHTS, own, table), forward(WEIGHTS, own[:, order], table)
    np.testing.assert_allclose(turned.score, plain.score[:, order])
    np.testing.assert_allclose(turned.strength, plain.strength[:, order])


def test_one_position_by_hand() -> None:
    own, table = np.array([[[1.0, 0, 0], [0, 2, 0]]]), np.array([[0.5, 0]])
    found = forward(WEIGHTS, own, table)
    for seat in range(2):
        hidden = own[0, seat] @ WEIGHTS["own"] + own[0, 1 - seat] @ WEIGHTS["others"] + table[0] @ WEIGHTS["table"]
        second = np.maximum(np.maximum(hidden + WEIGHTS["bias"], 0) @ WEIGHTS["second"] + WEIGHTS["second_bias"], 0)
        assert found.score[0, seat] == pytest.approx(second @ WEIGHTS["score"] + WEIGHTS["score_bias"][0])
        assert found.strength[0, seat] == pytest.approx(second @ WEIGHTS["strength"])


def test_shipped_weights_say_points() -> None:
    own, table, _ = encode(samples(2, 5, 3).positions.state)
    np.testing.assert_allclose(
        forward(in_points(WEIGHTS), own, table).score, SCALE * forward(WEIGHTS, own, table).score
    )
    for name, array in in_units(in_points(WEIGHTS)).items():
        np.testing.assert_allclose(array, WEIGHTS[name])


def test_shares_are_the_softmax_whatever_the_size() -> None:
    np.testing.assert_allclose(softmax(np.array([[1000.0, 1000.0], [0.0, np.log(3)]])), [[0.5, 0.5], [0.25, 0.75]])


def numerical(loss: Callable[[NetWeights], float], name: str, place: tuple[int, ...]) -> float:
    """Return the slope of a loss by one weight, by central differences."""
    sides = []
    for side in (1e-6, -1e-6):
        moved = {**WEIGHTS, name: WEIGHTS[name].copy()}
        moved[name][place] += side
        sides.append(loss(moved))
    return (sides[0] - sides[1]) / 2e-6


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("name", list(WEIGHTS))
def test_the_gradient_is_the_slope(name: str, seats: int) -> None:
    """For both losses together, and weights all over each array."""
    found = samples(seats, 30, 5)
    rows = np.arange(30)

    def loss(weights: NetWeights) -> float:
        own, table, points = encode(found.positions.state)
        outputs = forward(weights, own, table)
        return (
            loss_of_positions(outputs, points, found.positions).value
            + 0.7 * loss_of_lines(outputs, points, found.lines).value
        )

    value, gradient = gradient_of(WEIGHTS, found, encode, rows, rows, 0.7)
    assert value == pytest.approx(loss(WEIGHTS))
    size = WEIGHTS[name].size
    for flat in range(0, size, max(size // 6, 1)):
        place = tuple(map(int, np.unravel_index(flat, WEIGHTS[name].shape)))
        assert gradient[name][place] == pytest.approx(numerical(loss, name, place), rel=1e-4, abs=1e-7)


def test_lines_of_a_decision_may_all_be_off_by_as_much() -> None:
    """Lines only determine differences, not levels."""
    found = samples(2, 30, 5)
    own, table, points = encode(found.lines.state)
    outputs = forward(WEIGHTS, own, table)
    shifted: Array = np.array([3.0, -7.0, 40.0, 0.5, 11.0, 2.0, 1.0, -5.0, 9.0, 4.0])[found.lines.decision]
    moved = type(found.lines)(
        found.lines.state, found.lines.seat, found.lines.decision, found.lines.weight,
        found.lines.margin + shifted, found.lines.odds + shifted,
    )  # fmt: skip
    plain = loss_of_lines(outputs, points, found.lines).value
    assert loss_of_lines(outputs, points, moved).value == pytest.approx(plain)
