"""Truth tests of reviews over games of bots: a few of each in every run, many in `make test-slow`."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from statistics import fmean

import pytest

from clerestory.engine import NATURE
from clerestory.search.review import ReviewPlan
from clerestory.search.review.ledger import PlyValuation
from tools.lab.review_figures import (
    COSTS,
    Setting,
    floor_of,
    found_blunder,
    levels_figures,
    luck_figures,
    neighbours,
    played,
    ratio,
    reliability,
    reviewed,
    squares,
)

GAMES = [("cathedral", 2), ("cathedral", 3), ("cathedral", 4), ("duel", 2)]


def test_a_game_of_bots_is_the_same_again() -> None:
    setting = Setting("toy", 3, 60)
    assert played.__wrapped__(setting, 5).history == played(setting, 5).history


def test_a_planted_blunder_is_found() -> None:
    found = [one for one in (found_blunder(Setting("duel", 2, 150), seed) for seed in range(2)) if one]
    assert found
    for one in found:
        assert one["cost"] >= COSTS
        assert one["class"]
        assert one["errors"] >= one["loss"] > COSTS / 2  # it is in the account of its seat's errors, not of its luck


def test_shares_count_once_floors_are_root_mean_squares_and_ratios_are_of_means() -> None:
    assert reliability([(0.05, 0.0), (0.07, 1.0), (1.0, 1.0)]) == [(0.06, 0.5, 2), (1.0, 1.0, 1)]
    assert floor_of([3_000, -4_000, 0, 5_000]) == 3.5  # in thousandths
    sizes = [{"mean_revaluation_a_ply": 2_000.0, "mean_luck_an_event": 10_000.0}, {"mean_revaluation_a_ply": 4_000.0}]
    assert ratio([sizes[0], {**sizes[1], "mean_luck_an_event": None}])["ratio"] == 0.6


def test_squares_are_those_of_luck_errors_and_revaluation() -> None:
    """From 0.5 up by luck to 0.6, revalued to 0.8, down by an error to 0.5, and won."""
    luck = PlyValuation(
        ply=1, seat=NATURE, action="", label="", source="", before=(500_000, 500_000), after=(600_000, 400_000)
    )
    error = replace(luck, ply=2, seat=0, before=(800_000, 200_000), after=(500_000, 500_000))
    review = reviewed(Setting("toy", 2, 50), ReviewPlan(iterations=50), 1)
    found = squares(replace(review, valuations=(luck, error), final=(1_000_000, 0)))
    assert found == pytest.approx({"luck": 0.01, "errors": 0.09, "revaluation": 0.04 + 0.25, "result": 0.25})


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_95_of_a_hundred_planted_blunders_are_found(game: str, seats: int) -> None:
    """Each game has a quarter of them."""
    found = [one for one in (found_blunder(Setting(game, seats, 1000), seed) for seed in range(25)) if one]
    assert len(found) >= 20
    assert fmean(one["class"] != "" for one in found) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_the_luck_of_each_source_has_mean_0(game: str, seats: int) -> None:
    with ThreadPoolExecutor(1) as pool:
        for row in luck_figures(Setting(game, seats, 200), range(60), pool):
            assert abs(row["sigmas"]) < 4, row


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_levels_play_their_neighbours(seats: int) -> None:
    games = [neighbours(seats, seed) for seed in range(9)]
    assert all(list(levels) == list(range(levels[0], levels[0] + seats)) for levels in games)
    assert {level for levels in games for level in levels} == set(range(1, 9))


@pytest.mark.slow
def test_weaker_levels_lose_more() -> None:
    with ThreadPoolExecutor(1) as pool:
        rows = list(levels_figures(Setting("cathedral", 2, 500), range(16), pool))
    loss = [row["mean_loss"] for row in rows if "mean_loss" in row]
    assert loss[0] > loss[3] > loss[-1]
