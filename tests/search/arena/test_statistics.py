"""Statistics compared with numbers computed by hand."""

from math import inf, log, sqrt

import pytest

from clerestory.search.arena.statistics import (
    Sprt,
    SprtCourse,
    SprtVerdict,
    adjusted_interval,
    elo_interval,
    elo_of,
    moments,
    score_interval,
    score_of,
)
from clerestory.search.intervals import Interval


@pytest.mark.parametrize(
    ("scores", "mean", "variance"),
    [
        ([1.0], 1.0, 0.75 - 0.75**2),  # with the half deals: 1.5 of 2 won
        ([0.5], 0.5, 0.75 / 2 - 0.25),  # squares: 0.25 + 0.5 of 2
        ([1.0, 0.5, 0.0], 0.5, 1.75 / 4 - 0.25),
        ([0.25, 0.75], 0.5, (0.0625 + 0.5625 + 0.5) / 3 - 0.25),
    ],
)
def test_moments(scores: list[float], mean: float, variance: float) -> None:
    assert moments(scores) == pytest.approx((mean, variance))


def test_wilson_intervals() -> None:
    """8 of 10 won is (0.490, 0.943) in textbooks; deals that are won or lost entirely count as one game each.

    One deal counts as one game: z^2 = 3.8415, so the interval is from 1 / (1 + z^2) to 1.
    """
    assert score_interval([1.0] * 8 + [0.0] * 2) == Interval(
        0.8, pytest.approx(0.4902, abs=1e-4), pytest.approx(0.9433, abs=1e-4)
    )
    assert score_interval([1.0]) == Interval(1.0, pytest.approx(0.20655, abs=1e-5), 1.0)
    assert score_interval([0.0]) == Interval(0.0, 0.0, pytest.approx(0.79345, abs=1e-5))
    # All won or all lost has its bound to the last bit.
    assert {score_interval([1.0] * deals).high for deals in range(1, 60)} == {1}
    assert {score_interval([0.0] * deals).low for deals in range(1, 60)} == {0}


def test_pairing_is_rewarded() -> None:
    """Deals that are always shared determine the mean more precisely than deals that are won or lost entirely."""
    shared, whole = score_interval([0.5] * 40), score_interval([1.0, 0.0] * 20)
    assert shared.mean == whole.mean == 0.5
    assert shared.high - shared.low < (whole.high - whole.low) / 5


@pytest.mark.parametrize(
    ("seats", "score", "elo"),
    [
        (2, 0.5, 0.0),
        (2, 10 / 11, 400.0),
        (2, 0.64, 99.95),
        (4, 0.25, 0.0),
        (4, 0.5, 190.85),  # 400 log10 3
        (3, 1.0, inf),
        (3, 0.0, -inf),
    ],
)
def test_elo(seats: int, score: float, elo: float) -> None:
    assert elo_of(score, seats) == pytest.approx(elo, abs=0.01)
    assert score_of(elo, seats) == pytest.approx(score, abs=1e-4)


def test_the_interval_of_elo() -> None:
    assert elo_interval(Interval(0.5, 1 / 11, 1.0), 2) == Interval(0.0, pytest.approx(-400), inf)


def test_scores_without_luck_that_are_all_alike_are_not_certain() -> None:
    """10 of 1: the padded variance is 10.5 / 11 - (10.5 / 11)^2, t with nine degrees of freedom 2.262."""
    half = 2.262 * sqrt((10.5 / 11 - (10.5 / 11) ** 2) / 10)
    found = adjusted_interval([1.0] * 10)
    assert (found.mean, found.low, found.high) == (
        1.0,
        pytest.approx(1 - half, rel=1e-3),
        pytest.approx(1 + half, rel=1e-3),
    )
    assert adjusted_interval([0.5]) == Interval(0.5, -inf, inf)


def test_ratio_and_bounds_by_hand() -> None:
    """s0 = 1/2, s1 = 10/11 = 0.90909; 3 deals, mean 5/6, padded variance 2.75 / 4 - (3 / 4)^2 = 0.125."""
    ratio = course(Sprt(0, 400), [1.0, 1.0, 0.5], 2).llr
    assert ratio == pytest.approx(3 * (9 / 22) * (2 * 5 / 6 - 31 / 22) / (2 * 0.125))
    assert course(Sprt(0, 400), [], 2).llr == 0
    assert Sprt(0, 10).bounds == (pytest.approx(-log(19)), pytest.approx(log(19)))
    assert Sprt(0, 10, alpha=0.01, beta=0.1).bounds == (pytest.approx(log(10 / 99)), pytest.approx(log(90)))


def course(test: Sprt, scores: list[float], seats: int) -> SprtCourse:
    found = SprtCourse(test, seats)
    for score in scores:
        found.add(score)
    return found


@pytest.mark.parametrize(
    ("scores", "seats", "verdict"),
    [
        ([], 2, SprtVerdict.OPEN),
        ([1.0], 2, SprtVerdict.OPEN),
        ([1.0] * 20, 2, SprtVerdict.H1),
        ([0.0] * 20, 2, SprtVerdict.H0),
        ([0.5] * 40, 2, SprtVerdict.H0),
        ([0.5] * 40, 4, SprtVerdict.H1),  # half of the wins is a lot for one of four
        ([0.25] * 40, 4, SprtVerdict.H0),
    ],
)
def test_verdicts(scores: list[float], seats: int, verdict: SprtVerdict) -> None:
    assert course(Sprt(0, 100), scores, seats).verdict == verdict
