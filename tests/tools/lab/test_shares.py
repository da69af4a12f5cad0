"""Calibration of win shares: a planted sharpness is recovered, and the noise is that of correct shares."""

import sys
from collections.abc import Iterator
from dataclasses import astuple, replace
from itertools import product
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from clerestory.engine import GAMES, Rng, State
from clerestory.engine.tuning import Sharpness
from clerestory.search.arena.match import decisions, nature_of
from tools.lab import shares as tool
from tools.lab.json_lines import gathered
from tools.lab.shares import ShareTable, ShareTask, best_sharpness, by_other_half, figures, fits, main, report, stacked

Shares = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def made(games: int, by: Sharpness, positions: int = 5, seed: int = 1) -> ShareTable:
    """Return games of 3 seats whose winners are drawn by shares that are reported unsharpened; each game has one round.

    The rounds are 1 to 6, the iterations 400, 2,000 and 8,000; the positions of a game are equal.
    """
    luck = np.random.default_rng(seed)
    true: Shares = luck.dirichlet((2.0, 2.0, 2.0), games)
    winner = (luck.random(games)[:, None] < true.cumsum(axis=1)).argmax(axis=1)
    iterations, rounds = luck.choice([400, 2_000, 8_000], games), luck.integers(1, 7, games)
    exponents = [by.exponent(int(one), int(round_)) for one, round_ in zip(iterations, rounds, strict=True)]
    told = true.copy()
    told[:, 0] /= np.exp([by.lead(round_) for round_ in rounds.tolist()])
    bold = told ** (1 / np.array(exponents)[:, None])
    rows = np.repeat(np.arange(games), positions)
    shares = bold / bold.sum(axis=1, keepdims=True)
    return ShareTable(rows, iterations[rows], rounds[rows], shares[rows], np.eye(3)[winner][rows])


RIGHT = Sharpness(1.0)
PLANTED = Sharpness(0.6, stronger=0.25, later=0.06, both=0.03, last=0.3, first=-0.2, first_seat=0.4, rounds=6)


def test_a_sharpness_is_found_again_by_strength_and_round() -> None:
    found = best_sharpness(made(50_000, PLANTED, positions=1))
    for iterations, round_ in product((400, 8_000), (1, 2, 5, 6)):
        assert found.exponent(iterations, round_) == pytest.approx(PLANTED.exponent(iterations, round_), abs=0.08)
    assert found.first_seat == pytest.approx(PLANTED.first_seat, abs=0.08)


def test_a_few_games_bend_little() -> None:
    """Strengths that were not compared have little effect, and neither do ten games."""
    some = made(10, RIGHT)
    one = replace(some, iterations=np.full_like(some.iterations, 400))
    assert abs(best_sharpness(one).stronger) < 0.03
    *others, first, first_seat, _ = astuple(best_sharpness(some))[1:]
    assert max(map(abs, others)) < 0.3
    assert abs(first) < 0.9
    assert abs(first_seat) < 0.3


def test_shares_are_judged_by_the_fit_of_the_other_half() -> None:
    some = made(4_000, PLANTED)
    odd = some.game % 2 == 1
    crossed = by_other_half(some, odd)
    first = some.take(~odd).sharpened(best_sharpness(some.take(odd)))
    assert np.array_equal(crossed.shares[: len(first.shares)], first.shares)
    assert sorted(crossed.game) == sorted(some.game)


def test_a_sharpness_mends_the_shares() -> None:
    bold = made(6000, PLANTED)
    before, after = figures(bold), figures(bold.sharpened(best_sharpness(bold)))
    assert after["error"] < before["error"] / 2
    assert after["log_loss"] < before["log_loss"]
    assert after["brier"] < before["brier"]


def test_the_noise_is_the_error_of_right_shares() -> None:
    every = [figures(made(400, RIGHT, seed=seed)) for seed in range(30)]
    errors, noises = ([one[name] for one in every] for name in ("error", "noise"))
    assert np.mean(errors) == pytest.approx(np.mean(noises), rel=0.15)
    assert figures(made(400, RIGHT, positions=9))["noise"] == pytest.approx(np.mean(noises), rel=0.15)
    assert sqrt(4) * figures(made(1600, RIGHT))["noise"] == pytest.approx(np.mean(noises), rel=0.15)


def test_a_game_is_gathered_and_reported() -> None:
    games = [game for seed in range(4) for game in ShareTask("duel", 2, 10, seed).play()]
    some = stacked(games)
    assert some.shares.shape == some.returns.shape == (sum(len(game["said"]) for game in games), 2)
    assert np.allclose(some.shares.sum(axis=1), 1, atol=1e-4)
    assert set(some.game) == {0, 1, 2, 3}
    text = "\n".join(report(games))
    assert "duel, 2 players, 4 games of 10 iterations, as they were:" in text
    assert text.count("| all |") == 3
    assert next(fits(games)).startswith("duel, 2 players, 4 games: Sharpness(even=")


def test_games_are_gathered_by_iterations(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "shares.jsonl"

    def told(*arguments: object) -> str:
        monkeypatch.setattr(sys, "argv", ["shares", *map(str, arguments)])
        main()
        return capsys.readouterr().out

    for iterations, count in (("10", 2), ("10,30", 4)):
        told("gather", "toy", "--iterations", iterations, "--games", count, "--out", out)
    games = gathered(out)
    assert sorted((one["iterations"], one["seed"]) for one in games) == [(n, s) for n in (10, 30) for s in range(4)]
    assert told("fit", out).count("Sharpness(") == 3
    assert "toy, 2 players, 4 games of 30 iterations, as shipped" in told("report", out)


def test_luck_is_not_that_which_shuffled_the_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    met = []

    def watched(state: State, luck: Rng) -> Iterator[int]:
        met.append(luck.state)
        return decisions(state, luck)

    monkeypatch.setattr(tool, "decisions", watched)
    ShareTask("toy", 2, 1, 5).play()
    assert met == [nature_of(5).state]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seats"), [("cathedral", 2), ("cathedral", 3), ("cathedral", 4), ("duel", 2)])
def test_shares_as_they_are_shipped_come_true(name: str, seats: int) -> None:
    """Games not used for a fit: off by 0.015 at most, beyond the noise of that number of games."""
    some = stacked([game for seed in range(9000, 9160) for game in ShareTask(name, seats, 100, seed).play()])
    found = figures(some.sharpened(GAMES[name].tuning.sharpness.get(seats, RIGHT)))
    assert found["error"] < 0.015 + found["noise"]
    certain = np.full_like(some.shares, 1 / seats)
    assert found["log_loss"] < -float((some.returns * np.log(certain)).sum(axis=1).mean())
