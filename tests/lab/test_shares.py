"""Calibration of win shares: a planted exponent is found again, and the noise is that of correct shares."""

from math import sqrt

import numpy as np
import pytest

from clerestory.engine import GAMES
from clerestory.search.options import shipped
from lab.shares import ShareTable, best_exponent, figures, game_of, report, stacked

LUCK = np.random.default_rng(1)
Shares = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def made(games: int, exponent: float, positions: int = 5) -> ShareTable:
    """Games of 3 seats whose winners are drawn by shares that are reported with another exponent; equal positions."""
    true: Shares = LUCK.dirichlet((2.0, 2.0, 2.0), games)
    winner = (LUCK.random(games)[:, None] < true.cumsum(axis=1)).argmax(axis=1)
    bold = true ** (1 / exponent)
    rows = np.repeat(np.arange(games), positions)
    shares = bold / bold.sum(axis=1, keepdims=True)
    return ShareTable(rows, rows % 2, shares[rows], np.eye(3)[winner][rows])


def test_an_exponent_is_found_again_and_mends_the_shares() -> None:
    bold = made(6000, 0.7)
    assert best_exponent(bold) == pytest.approx(0.7, abs=0.05)
    before, after = figures(bold), figures(bold.sharpened(0.7))
    assert after["error"] < before["error"] / 2
    assert after["log_loss"] < before["log_loss"]
    assert after["brier"] < before["brier"]


def test_the_noise_is_the_error_of_right_shares() -> None:
    every = [figures(made(400, 1.0)) for _ in range(30)]
    errors, noises = ([one[name] for one in every] for name in ("error", "noise"))
    assert np.mean(errors) == pytest.approx(np.mean(noises), rel=0.15)
    assert figures(made(400, 1.0, positions=9))["noise"] == pytest.approx(np.mean(noises), rel=0.15)
    assert sqrt(4) * figures(made(1600, 1.0))["noise"] == pytest.approx(np.mean(noises), rel=0.15)


def test_a_game_is_told_of_and_reported() -> None:
    games = [game_of("duel", 2, 20, seed) for seed in range(4)]
    some = stacked(games)
    assert some.shares.shape == some.returns.shape == (sum(len(game["said"]) for game in games), 2)
    assert np.allclose(some.shares.sum(axis=1), 1, atol=1e-4)
    assert set(some.game) == {0, 1, 2, 3}
    text = "\n".join(report(games))
    assert text.startswith("duel, 2 players, 4 games of 20 iterations")
    assert text.count("| all |") == 4


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seats"), [("cathedral", 2), ("cathedral", 3), ("cathedral", 4), ("duel", 2)])
def test_shares_as_they_are_shipped_come_true(name: str, seats: int) -> None:
    """Games that nothing was fitted to: off by 0.015 at most, beyond what chance makes of so few games."""
    some = stacked([game_of(name, seats, 100, seed) for seed in range(9000, 9160)])
    found = figures(some.sharpened(shipped(GAMES[name], seats).get("sharpness", 1.0)))
    assert found["error"] < 0.015 + found["noise"]
    certain = np.full_like(some.shares, 1 / seats)
    assert found["log_loss"] < -float((some.returns * np.log(certain)).sum(axis=1).mean())
