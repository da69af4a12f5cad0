"""Samples: every sixth game is held out, expectations are calibrated, lines of a decision stay together."""

from dataclasses import replace

import numpy as np
import pytest

from clerestory.search.training.columns import Columns
from clerestory.search.training.samples import adjust, best_temper, lead_of, odds_of, split, tempered, together
from clerestory.search.training.selfplay import Habits, SelfPlay, play_games
from tests.search.arena.matches import toy

PLAN = SelfPlay(toy, 2, generation=0, seed=3, habits=Habits(quick=20, full=60, full_share=0.5, least_visits=5))


@pytest.fixture(scope="module")
def columns() -> Columns:
    found = play_games(PLAN, range(60))
    assert found is not None
    return found


def test_every_sixth_game_is_held_out(columns: Columns) -> None:
    learned, calibration, held = split(columns, learned=False)
    sixth = columns["position.game"] % 6 == 5
    judged = columns["position.game"] % 12 == 11
    assert len(calibration.positions.seat) + len(held.positions.seat) == sixth.sum()
    assert np.array_equal(held.positions.state, columns["position.state"][judged])
    assert np.array_equal(calibration.positions.state, columns["position.state"][sixth & ~judged])
    assert np.array_equal(learned.positions.scores, columns["game.scores"][columns["position.game"]][~sixth])
    assert not sixth[learned.lines.decision].any()
    assert judged[held.lines.decision].all()


def test_expected_leads_agree_with_results_in_the_mean(columns: Columns) -> None:
    learned, *_ = split(columns, learned=False)
    found = learned.positions
    for number in np.unique(found.round):
        rows = found.round == number
        lead = lead_of(found.scores[rows].astype(float), found.seat[rows])
        assert found.lead[rows].mean() == pytest.approx(lead.mean(), abs=1e-3)
    np.testing.assert_allclose(found.shares.sum(axis=1), 1, atol=1e-5)


def test_expected_leads_that_came_true_stay_as_they_are() -> None:
    scores = np.array([[5.0, 3.0], [9.0, 1.0], [2.0, 8.0]])
    columns = {
        "position.game": np.arange(3),
        "position.seat": np.zeros(3, dtype=int),
        "position.margin": scores[:, 0] - scores[:, 1],
        "position.shares": np.full((3, 2), 0.5),
        "game.scores": scores,
        "game.returns": np.eye(2)[[0, 0, 1]],
    }
    found = adjust(columns, np.ones(3, dtype=bool))
    assert (found.slope, found.offset) == (pytest.approx(1), pytest.approx(0))


def test_lines_are_siblings_and_generations_together_keep_decisions_apart(columns: Columns) -> None:
    part, *_ = split(columns, learned=False)
    decisions, siblings = np.unique(part.lines.decision, return_counts=True)
    assert siblings.min() > 1
    both = together([part, part])
    assert len(both.positions.seat) == 2 * len(part.positions.seat)
    assert len(np.unique(both.lines.decision)) == 2 * len(decisions)
    assert (np.diff(both.lines.decision) >= 0).all()
    assert both.lines.state.dtype == np.uint8


@pytest.mark.parametrize("learned", [False, True])
def test_odds_of_lines_rise_with_what_the_search_wants(learned: bool, columns: Columns) -> None:
    lines = split(columns, learned=learned)[0].lines
    wanted = odds_of(columns["line.shares"], columns["position.seat"][columns["line.position"]].astype(int))
    assert (set(np.round(lines.odds, 4)) <= set(np.round(wanted, 4))) == learned
    if not learned:
        assert np.corrcoef(lines.odds, lines.margin)[0, 1] > 0.7


@pytest.mark.parametrize("true", [0.25, 1.0, 3.0])
def test_shares_that_are_timid_or_bold_are_tempered(true: float) -> None:
    """Results are drawn from shares raised to an exponent; the exponent is found."""
    luck = np.random.default_rng(1)
    said = luck.dirichlet([2, 2, 2], 6_000)
    won = (tempered(said, np.full(len(said), true)).cumsum(axis=1) < luck.uniform(size=(len(said), 1))).sum(axis=1)
    assert best_temper([np.log(said)] * 2, [np.eye(3)[won]] * 2) == pytest.approx(true, rel=0.1)


def test_a_round_that_is_not_learned_from_is_left_alone(columns: Columns) -> None:
    """All of its games may be held out."""
    few = play_games(replace(PLAN, seed=5), range(1))
    assert few is not None
    few["position.game"][:] = 11
    few["game.scores"], few["game.returns"] = (
        np.repeat(few[name], 12, axis=0) for name in ("game.scores", "game.returns")
    )
    learned, _, held = split(few, learned=True)
    assert len(learned.positions.seat) == 0
    np.testing.assert_allclose(held.positions.lead, few["position.margin"], rtol=1e-6)


def test_what_is_proven_outweighs_nothing() -> None:
    """A proven win counts as a share of 0.99, so its log odds are bounded."""
    shares = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], np.float32)
    assert odds_of(shares, np.zeros(3, int)) == pytest.approx([np.log(99), -np.log(99), 0], abs=1e-5)
