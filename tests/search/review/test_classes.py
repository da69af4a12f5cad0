"""Error classes, the noise floor below which nothing is classified, and the figures of a seat."""

from dataclasses import replace

import pytest

from clerestory.engine import NATURE
from clerestory.search.review.classes import FEW, NEAR, accuracy, class_of, figures, noise_floors
from clerestory.search.review.ledger import UNIT, PlyValuation
from tests.search.review.games import entry

GENERAL = range(7_000, 8_000)  # the general floor at each ply


def decision(loss: int, *, ply: int = 1, seat: int = 0, stake: int = 300_000, start: int = 500_000) -> PlyValuation:
    before, after = [UNIT - start] * 2, [UNIT - start] * 2
    before[seat], after[seat] = start, start - loss
    after[1 - seat] += loss
    return replace(entry(ply, seat, tuple(before), tuple(after)), stake=stake)


@pytest.mark.parametrize(
    ("loss", "floor", "expected"),
    [
        (19_999, 0, ""),
        (20_000, 0, "doubtful"),
        (49_999, 0, "doubtful"),
        (50_000, 0, "mistake"),
        (100_000, 0, "blunder"),
        (30_000, 15_000, ""),
        (30_001, 15_000, "doubtful"),
        (99_999, 50_000, ""),
        (120_000, 50_000, "blunder"),
    ],
)
def test_a_class_is_given_only_above_twice_the_noise(loss: int, floor: int, expected: str) -> None:
    assert class_of(decision(loss), floor) == expected


def test_luck_has_no_class() -> None:
    assert class_of(entry(1, NATURE, (UNIT, 0), (0, UNIT), "die"), 0) == ""


def test_the_floor_is_the_spread_of_steps_without_a_change_or_an_error() -> None:
    """Every best decision of seat 0 is followed by a valuation that is 0.03 higher or lower for it."""
    shares = [500_000 + (30_000 if ply % 2 else 0) for ply in range(FEW + 1)]
    valuations = [decision(0, ply=ply, start=start) for ply, start in enumerate(shares, 1)]
    assert set(noise_floors(valuations, (0, UNIT), GENERAL)) == {30_000}  # the result is no step
    assert noise_floors(valuations[:FEW], (0, UNIT), GENERAL[:FEW]) == list(GENERAL[:FEW])
    quiet = [decision(0, ply=ply) for ply in range(1, FEW + 2)]
    assert set(noise_floors(quiet, (UNIT, 0), GENERAL)) == {0}
    loud = [decision(50_000, ply=ply) for ply in range(FEW + 2, FEW + 9)]
    assert set(noise_floors([*quiet, *loud], (UNIT, 0), GENERAL)) == {0}


def test_each_part_of_a_game_has_a_floor_of_its_own() -> None:
    """A quiet beginning is not judged by the noise of the end."""
    shares = [500_000] * (2 * NEAR) + [500_000 + (30_000 if ply % 2 else 0) for ply in range(2 * NEAR + 1)]
    valuations = [decision(0, ply=ply, start=start) for ply, start in enumerate(shares, 1)]
    floors = noise_floors(valuations, (0, UNIT), GENERAL)
    assert (floors[0], floors[NEAR], floors[-1]) == (0, 0, 30_000)
    assert floors == sorted(floors)


@pytest.mark.parametrize(
    ("loss", "low", "high"), [(0, 100, 100), (23_770, 49, 50), (970, 97, 98), (200_000, 0, 1), (UNIT, 0, 0.1)]
)
def test_accuracy_follows_the_mean_loss_as_the_level_does(loss: int, low: float, high: float) -> None:
    """100 exp(-x / 0.034): level 1 of the board game loses 0.02377 a decision, level 8 0.00097."""
    assert low <= accuracy(loss) <= high


def test_figures_count_what_was_at_stake_and_have_no_mean_without_decisions() -> None:
    valuations = [
        decision(0, ply=1),
        decision(60_000, ply=2),
        decision(1_000, ply=3, stake=5_000),  # all actions are within the noise floor of each other
        decision(120_000, ply=4, seat=1),
    ]
    first, second = (figures("toy", valuations, seat, [10_000] * 4) for seat in (0, 1))
    assert (first.counted, first.idle, first.mean_loss) == (2, 1, 30_000)
    assert first.classes == {"blunder": 0, "mistake": 1, "doubtful": 0}
    assert second.classes == {"blunder": 1, "mistake": 0, "doubtful": 0}
    assert first.accuracy == accuracy(30_000)
    assert [(one.decisions, one.loss) for one in first.groups] == [(2, 60_000)]
    assert [(one.errors, one.loss) for one in second.patterns] == [(1, 120_000)]
    nobody = figures("toy", [], 0, [])
    assert (nobody.counted, nobody.mean_loss, nobody.accuracy) == (0, None, None)
