"""The play of one player over many games, from the figures of each."""

import json
from dataclasses import replace

import pytest

from clerestory.search.intervals import mean_interval
from clerestory.search.review import ReviewPlan, annotate
from clerestory.search.review.classes import accuracy
from clerestory.search.review.groups import DecisionGroup, ErrorPattern
from clerestory.search.review.ledger import UNIT
from clerestory.search.review.summary import Estimate, GameFigures, figures_of, part_rounds, ratio, summarize
from tests.search.review.games import random_game


def game(*losses: int, level: int | None = None, kind: str = "draft", errors: int = 0) -> GameFigures:
    """Return a game with a group of ten decisions for each loss, in successive parts."""
    groups = [
        DecisionGroup(part=part, kind=kind, decisions=10, loss=loss, points=loss / 100_000)
        for part, loss in enumerate(losses, 1)
    ]
    pattern = ErrorPattern(played="hire", best="take", errors=errors, loss=60_000 * errors)
    return GameFigures(groups=tuple(groups), patterns=(pattern,) if errors else (), level=level)


def test_equal_games_are_a_sample_of_their_means() -> None:
    """With equally many decisions in each game, the interval is that of the games' means."""
    found = ratio([0.1, 0.3, 0.2], [10, 10, 10])
    expected = mean_interval([0.01, 0.03, 0.02])
    assert (found.mean, found.high) == (pytest.approx(expected.mean), pytest.approx(expected.high))
    assert found.low == max(expected.low, 0) == 0


def test_games_without_such_decisions_do_not_count_and_one_game_has_no_interval() -> None:
    assert ratio([0.0, 0.3], [0, 10]) == Estimate(mean=0.03)
    assert ratio([0.0, 0.3, 0.3], [0, 10, 10]) == Estimate(mean=0.03, low=0.03, high=0.03)


def test_parts_kinds_and_all_decisions_are_told_apart() -> None:
    games = [game(100_000, 300_000), replace(game(200_000), groups=game(200_000, kind="work").groups)]
    found = summarize("cathedral", games)
    assert found.overall is not None
    assert (found.overall.games, found.overall.decisions, found.overall.mean_loss.mean) == (2, 30, pytest.approx(0.02))
    assert [(one.name, one.games, one.decisions) for one in found.parts] == [("1", 2, 20), ("2", 1, 10)]
    assert [(one.name, one.mean_loss.mean) for one in found.kinds] == [("draft", 0.02), ("work", 0.02)]
    assert found.overall.points.mean == pytest.approx(3.0)
    assert found.parts[1].points.mean == pytest.approx(1.5)  # per game; one had none


def test_accuracy_is_that_of_the_mean_loss_and_its_ends() -> None:
    overall = summarize("cathedral", [game(300_000), game(310_000), game(290_000)]).overall
    assert overall is not None
    loss = overall.mean_loss
    assert loss.low is not None
    assert loss.high is not None
    expected = [accuracy(share * UNIT) for share in (loss.mean, loss.high, loss.low)]
    assert [overall.accuracy.mean, overall.accuracy.low, overall.accuracy.high] == expected


def test_the_latest_level_is_that_of_five_games() -> None:
    games = [game(level=level) for level in (1, 1, None, 6, 6, 6, 6, 6)]
    found = summarize("cathedral", games)
    assert found.level is not None
    assert found.level.mean == pytest.approx(32 / 7)
    assert found.latest == Estimate(mean=6.0, low=6.0, high=6.0)
    assert (found.overall, found.parts, summarize("cathedral", []).level) == (None, (), None)


def test_what_happened_once_is_no_habit() -> None:
    assert summarize("cathedral", [game(errors=1)]).habits == ()
    habit = ErrorPattern(played="hire", best="take", errors=3, loss=180_000)
    assert summarize("cathedral", [game(errors=1), game(errors=2)]).habits == (habit,)


def test_figures_are_read_back_from_a_review() -> None:
    review = annotate(random_game("duel", 2, 1), ReviewPlan(iterations=50))
    written = json.loads(json.dumps(review.to_dict()))
    for seat, figures in enumerate(review.figures):
        found = figures_of(written["accounts"][seat])
        assert (found.groups, found.patterns, found.level) == (figures.groups, figures.patterns, figures.level)
        assert sum(one.decisions for one in found.groups) == figures.counted


def test_a_summary_has_a_form_in_json() -> None:
    written = json.loads(json.dumps(summarize("cathedral", [game(100_000, level=3, errors=2)] * 2).to_dict()))
    assert written["games"][0]["mean_loss"] == pytest.approx(0.01)
    assert written["habits"] == [{"played": "hire", "best": "take", "errors": 4, "loss": 0.24}]
    assert written["overall"]["mean_loss"] == {"mean": 0.01, "low": 0.01, "high": 0.01}


def test_a_part_names_its_rounds() -> None:
    assert [part_rounds("cathedral", 3), part_rounds("duel", 2)] == [(5, 6), (4, 6)]
