"""The scale of the levels: known ratings are recovered, and the right pairs are played."""

import numpy as np
import pytest

from tools.lab.ladder import ANCHOR, FIXED, fit, pairs, ratings


def test_ratings_are_found_again_and_a_winner_of_every_game_is_far_above() -> None:
    true, luck = np.array([1000.0, 1200.0, 900.0, 1500.0]), np.random.default_rng(1)
    a, b = luck.integers(4, size=4000), luck.integers(4, size=4000)
    a, b = a[a != b], b[a != b]
    scores = (luck.random(len(a)) < 1 / (1 + 10 ** ((true[b] - true[a]) / 400))).astype(float)
    assert ratings(a, b, scores, 4, 0) == pytest.approx(true, abs=30)
    found = ratings(np.array([0, 0]), np.array([1, 1]), np.array([1.0, 1.0]), 2, 1)
    assert found[1] == FIXED
    assert 2000 < found[0] < 20_000


def test_rungs_meet_their_neighbours_and_anchors_everybody() -> None:
    assert pairs(["1/1", "2/1", "3/1", "4/0"], ["x", "y"]) == [
        *[("1/1", "2/1"), ("1/1", "3/1"), ("2/1", "3/1"), ("2/1", "4/0"), ("3/1", "4/0")],
        *[(rung, anchor) for rung in ("1/1", "2/1", "3/1", "4/0") for anchor in ("x", "y")],
        ("x", "y"),
    ]


def test_intervals_come_from_whole_deals() -> None:
    """With one deal nothing varies, for any number of pairs."""
    wins = {("a", ANCHOR): 0.75, ("b", ANCHOR): 0.5, ("a", "b"): 0.5}
    lines = [{"a": a, "b": b, "deal": 7, "score": score} for (a, b), score in wins.items()]
    rows = {row.split(" | ")[0]: row.split(" | ")[1] for row in list(fit(lines))[2:]}
    assert all(row == f"{elo} [{elo}, {elo}]" for row in rows.values() for elo in [row.split()[0]])
