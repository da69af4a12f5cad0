"""Held-out figures, compared with numbers computed by hand or known in advance."""

import numpy as np
import pytest

from clerestory.search.training.figures import (
    calibrated,
    calibration_error,
    figures,
    margins,
    reliability,
    results_loss,
    within,
)
from clerestory.search.training.fit import Schedule, fit
from clerestory.search.training.net import begin_weights
from clerestory.search.training.samples import Lines
from tests.search.training.made import encode, samples


def test_reliability_and_margins_by_hand() -> None:
    table = reliability(np.array([0.1, 0.15, 0.72, 0.78, 1.0]), np.array([0, 1, 1, 0.5, 1]))
    assert [row["count"] for row in table] == [2, 2, 1]
    assert [row["said"] for row in table] == pytest.approx([0.125, 0.75, 1])
    assert [row["won"] for row in table] == pytest.approx([0.5, 0.75, 1])
    assert calibration_error(table) == pytest.approx(2 / 5 * 0.375)
    scores = np.array([[3.0, 5, 4], [3, 5, 4], [7, 7, 1]])
    assert margins(scores, np.array([0, 1, 0])).tolist() == [-2, 1, 0]


def test_shares_that_are_true_are_calibrated() -> None:
    luck = np.random.default_rng(0)
    share = luck.uniform(size=50_000)
    won = luck.uniform(size=50_000) < share
    assert calibration_error(reliability(share, won)) < 0.01
    assert calibration_error(reliability(share**2, won)) > 0.1


def test_lines_are_distinguished_at_every_level() -> None:
    one, decision = np.array([1.0, 2, 3, 10, 20]), np.array([0, 0, 0, 1, 1])
    lines = Lines(one, one, decision, np.ones(5), one, one)
    assert within(one + 5 * decision, one, lines) == pytest.approx(1)
    assert within(-one, one, lines) == pytest.approx(-1)


def test_the_loss_of_results_is_a_mean_over_positions() -> None:
    parts = {2: samples(2, 200, 2), 3: samples(3, 300, 2)}
    weights = begin_weights(*(array.shape[-1] for array in encode(parts[2].positions.state[:1])[:2]), seed=1)
    sizes = {seats: len(part.positions.seat) for seats, part in parts.items()}
    alone = {seats: figures(weights, part, encode)["log_loss"] for seats, part in parts.items()}
    mean = sum(sizes[seats] * alone[seats] for seats in parts) / sum(sizes.values())
    assert results_loss(weights, parts, encode) == pytest.approx(mean)
    assert results_loss(weights, {}, encode) == 0


def test_a_fit_foresees_more_than_no_fit() -> None:
    schedule = Schedule(epochs=20, batch=64, rate=0.01)
    learned, held, other = {3: samples(3, 600, 1)}, samples(3, 300, 2), samples(2, 200, 2)
    first, *_, last = [
        {name: array.copy() for name, array in progress.weights.items()} for progress in fit(learned, encode, schedule)
    ]
    parts = {2: other, 3: held}
    assert results_loss(last, parts, encode) < 0.8 * results_loss(first, parts, encode)
    early, late = figures(first, held, encode), figures(last, held, encode)
    assert late["r2"] > max(early["r2"], 0.5)
    assert late["log_loss"] < min(early["log_loss"], np.log(3))
    assert late["brier"] < 2 / 3
    assert late["order"]["margin"] > 0.8
    assert late["order"]["odds"] > 0.8
    assert sum(row["positions"] for row in late["rounds"].values()) == late["positions"] == 300


def test_timid_and_bold_shares_are_calibrated() -> None:
    learned = {seats: samples(seats, 600, seats) for seats in (2, 4)}
    *_, progress = fit(learned, encode, Schedule(epochs=10, batch=64, rate=0.01))
    once = calibrated(progress.weights, learned, encode)
    for factor in (0.3, 3.0):
        off = {**once, "strength": once["strength"] * factor}
        again = calibrated(off, learned, encode)
        np.testing.assert_allclose(again["strength"], once["strength"], rtol=0.1)
        assert figures(off, learned[2], encode)["log_loss"] > figures(once, learned[2], encode)["log_loss"]
