"""Estimates of a line: scores on the game's scale, exact sums, errors, and sharpened win shares."""

import math

import pytest

from clerestory.engine import GAMES
from clerestory.engine.core import Game
from clerestory.engine.toy.rules import TOY
from clerestory.search.estimates import sharpened
from clerestory.search.ismcts import Searcher
from clerestory.search.lines import Line
from clerestory.search.result import Result
from clerestory.search.root import observe
from tests.search.positions import decisions, search
from tests.shipped import CATHEDRAL, DUEL

SHARED = decisions(CATHEDRAL, 3, 2)[20]


# -- the scale: one per game, so that figures of different searches can be compared -----------------


@pytest.mark.parametrize("game", GAMES.values(), ids=str)
def test_a_score_means_the_same_margin_everywhere(game: Game) -> None:
    for number in (0, 2, -1):
        for iterations in (1, 50, 400):
            line = search(decisions(game, 2, 1)[number], iterations, reward="margin").best
            assert line.score == pytest.approx(0.5 + line.margin / game.tuning.scale[2])


def test_the_scale_can_be_given_and_exploration_is_relative_to_it() -> None:
    line = search(decisions(CATHEDRAL, 2, 1)[0], 400, reward="margin", scale=100.0).best
    assert line.score == pytest.approx(0.5 + line.margin / 100)
    # Half the exploration with twice the scale is the same search.
    position = decisions(DUEL, 2, 1)[4]
    first, second = (
        search(position, 500, reward="margin", scale=16.0 * by, exploration=0.5 / by).lines for by in (1, 2)
    )
    assert [(line.action, line.visits, line.margin) for line in first] == [
        (line.action, line.visits, line.margin) for line in second
    ]


# -- sums and errors ---------------------------------------------------------------------------------


def test_the_only_outcome_is_the_mean_of_a_million_visits() -> None:
    """By then a sum in single precision is off by a thousandth, and gives a certain outcome a standard error."""
    last = decisions(DUEL, 2, 0)[-1]
    after = last.copy()
    after.play("end")
    assert after.over
    line = Searcher(observe(last, actions=["end"]), seed=1).run(iterations=1_000_000).best
    assert line.visits == 1_000_000
    assert line.margin == pytest.approx(after.margins()[last.turn], rel=1e-9)
    assert line.margin_error == pytest.approx(0, abs=1e-7)
    assert line.win_shares == after.win_shares()


@pytest.mark.parametrize("seats", TOY.seats)
def test_the_last_decision_is_solved(seats: int) -> None:
    """The figures can be read off, because no action follows, and nothing varies."""
    for seed in range(6):
        last = decisions(TOY, seats, seed)[-1]
        result = search(last, 200, seed=seed)
        for line in result.lines:
            after = last.copy()
            after.play(line.action)
            assert line.margin == after.margins()[last.turn]
            assert line.win_shares == pytest.approx(after.win_shares())
            assert line.standard_errors == pytest.approx((0,) * seats, abs=1e-3)
        assert result.best.win_shares[last.turn] == max(line.win_shares[last.turn] for line in result.lines)


def test_errors_are_those_of_shares_from_the_second_visit_on() -> None:
    """With two seats and no ties a share is 0 or 1, so its error follows from the mean."""
    position = decisions(CATHEDRAL, 2, 1)[0]
    line = search(position, 3000).best
    mean = line.win_shares[0]
    assert line.standard_errors == pytest.approx((math.sqrt(mean * (1 - mean) / (line.visits - 1)),) * 2, rel=0.05)
    assert line.score == line.win_shares[position.turn]
    assert line.lower_bound == pytest.approx(line.score - 2 * line.standard_errors[position.turn])
    once, never = search(decisions(TOY, 3, 1)[0], 1).lines[:2]
    assert (once.visits, never.visits) == (1, 0)
    assert once.standard_errors == never.standard_errors == (0.5, 0.5, 0.5)
    assert (never.win_shares, never.score, never.margin, never.lower_bound) == ((0.0, 0.0, 0.0), 0.0, 0.0, -1.0)


# -- sharpened shares --------------------------------------------------------------------------------


@pytest.mark.parametrize("sharpness", [0.5, 1.0, 2.0])
def test_reported_shares_are_sharpened_and_the_search_is_not_changed(sharpness: float) -> None:
    """The odds between any two seats are raised to the exponent."""
    plain, sharp = (search(SHARED, 500, seed=4, sharpness=one) for one in (1.0, sharpness))
    for line, other in zip(plain.lines, sharp.lines, strict=True):
        assert (line.action, line.visits, line.score) == (other.action, other.visits, other.score)
        assert sum(other.win_shares) == pytest.approx(1 if line.visits else 0)
        if all(line.win_shares):
            odds, raised = (one.win_shares[0] / one.win_shares[1] for one in (line, other))
            assert raised == pytest.approx(odds**sharpness)


@pytest.mark.parametrize(("ply", "first_round"), [(6, True), (60, False)])
def test_fitted_shares_depend_on_all_iterations_of_the_tree_and_on_the_round(ply: int, first_round: bool) -> None:
    position = decisions(CATHEDRAL, 2, 2)[ply]
    round_ = position.round_number()
    assert (round_ == 1) == first_round
    plain, fitted = (Searcher(observe(position), seed=4, sharpness=one) for one in (1.0, "fitted"))
    for iterations in (300, 2000):
        before, after = (one.run(iterations=iterations) for one in (plain, fitted))
        assert [one.win_shares for one in after.lines] == [fit(one, after, round_) for one in before.lines]
    position.play(after.best.action)
    for one in (plain, fitted):
        one.advance(observe(position))
    before, after = (one.run(iterations=10) for one in (plain, fitted))
    assert after.reused_iterations > 0
    assert after.best.win_shares == fit(before.best, after, round_)


def fit(line: Line, result: Result, round_: int) -> tuple[float, ...]:
    """Return the shipped calibration of a line for two players."""
    by, iterations = CATHEDRAL.tuning.sharpness[2], result.iterations + result.reused_iterations
    return sharpened(line.win_shares, line.standard_errors, by.exponent(iterations, round_), by.lead(round_))[0]


def test_a_game_without_a_fit_has_plain_shares() -> None:
    position = decisions(TOY, 2, 2)[0]
    assert search(position, 50, sharpness="fitted").lines == search(position, 50, sharpness=1.0).lines


def test_errors_of_sharpened_shares_follow_from_small_changes_of_the_shares() -> None:
    means, none, small = (0.7, 0.2, 0.1), (0.0, 0.0, 0.0), 1e-5
    shares, errors = sharpened(means, (small, 0.0, 0.0), 0.8)
    moved, _ = sharpened((0.7 + small, 0.2 - small * 2 / 3, 0.1 - small / 3), none, 0.8)  # the others keep their ratio
    assert errors[0] == pytest.approx(moved[0] - shares[0], rel=1e-3)
    assert sharpened((0.001, 0.999), (0.5, 0.5), 0.2)[1] == (0.5, 0.5)
    assert sharpened((0.0, 1.0), (0.0, 0.0), 0.8) == ((0.0, 1.0), (0.0, 0.0))
    with pytest.raises(ValueError, match="2 and 1; must be as many"):
        sharpened((0.5, 0.5), (0.1,), 0.8)


@pytest.mark.parametrize("exponent", [0.8, 1.0])
def test_a_lead_is_added_to_the_log_odds_of_the_first_seat(exponent: float) -> None:
    shares, errors = sharpened((0.7, 0.2, 0.1), (0.01, 0.01, 0.01), exponent, 0.3)
    level, level_errors = sharpened((0.7, 0.2, 0.1), (0.01, 0.01, 0.01), exponent)
    log_odds, before = (math.log(one / (1 - one)) for one in (shares[0], level[0]))
    assert log_odds - before == pytest.approx(0.3)
    assert shares[1] / shares[2] == pytest.approx(level[1] / level[2])
    assert sum(shares) == pytest.approx(1)
    assert errors[0] / level_errors[0] == pytest.approx(shares[0] * (1 - shares[0]) / (level[0] * (1 - level[0])))
    assert sharpened((0.0, 1.0), (0.0, 0.0), exponent, 0.3) == ((0.0, 1.0), (0.0, 0.0))
