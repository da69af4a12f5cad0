"""Learned priors: the targets of the fit, and that it finds the factors that generated the visits."""

from typing import Any

import numpy as np
import pytest

from clerestory.engine.core import Game
from clerestory.engine.toy.rules import TOY
from clerestory.search.training.columns import Columns
from clerestory.search.training.priors import (
    Decisions,
    classes,
    decisions_of,
    figures_of_priors,
    fit_priors,
)
from clerestory.search.training.selfplay import Habits, SelfPlay, play_games
from tests.search.arena.matches import toy
from tests.shipped import CATHEDRAL, DUEL

LINES, ACTIONS = 4, 6  # per decision; actions that occur, all but the last in both rounds


@pytest.fixture(scope="module")
def columns() -> Columns:
    habits = Habits(quick=20, full=60, full_share=0.5, least_visits=5)
    found = play_games(SelfPlay(toy, 2, generation=0, seed=3, habits=habits), range(24))
    assert found is not None
    return found


def made(count: int, factors: np.ndarray[Any, Any]) -> Decisions:
    """Return decisions of two rounds, whose shares of visits are the guide's weights times factors."""
    rng = np.random.default_rng(4)
    round_ = rng.integers(1, 3, count)
    action = np.stack([np.sort(rng.permutation(ACTIONS - number)[:LINES]) for number in round_ - 1])
    weight = rng.normal(size=action.shape)
    shares = np.exp(weight) * factors[round_[:, None] - 1, action]
    shares /= shares.sum(axis=1, keepdims=True)
    held_out = np.arange(count) % 6 == 5
    of_line = np.repeat(round_, LINES)
    return Decisions(np.full(count, LINES), held_out, of_line, action.ravel(), weight.ravel(), shares.ravel())


FACTORS = np.exp(np.random.default_rng(7).normal(size=(2, ACTIONS)))
MADE = made(3000, FACTORS)


def test_decisions_are_those_of_full_searches(columns: Columns) -> None:
    found = decisions_of(TOY, columns)
    positions = np.unique(columns["line.position"])
    assert found.length.sum() == len(columns["line.visits"]) == len(found.share)
    assert np.array_equal(found.held_out, columns["position.game"][positions] % 6 == 5)
    first = np.cumsum(found.length) - found.length
    np.testing.assert_allclose(np.add.reduceat(found.share, first), 1)
    assert set(found.round.tolist()) == {1, 2}
    for number in (0, len(first) - 1):
        lines = slice(first[number], first[number] + found.length[number])
        codes = found.action[lines].tolist()
        state = columns["position.state"][positions[number]].tobytes()
        assert codes == sorted(codes)
        np.testing.assert_allclose(np.exp(found.weight[lines]), TOY.weigh(state, codes))


def test_some_decisions_and_decisions_together(columns: Columns) -> None:
    found = decisions_of(TOY, columns)
    parts = [found.take(found.held_out), found.take(~found.held_out)]
    both = Decisions.joined(parts)
    assert len(both.length) == len(found.length)
    assert sorted(both.share.tolist()) == sorted(found.share.tolist())
    assert parts[0].held_out.all()
    assert len(parts[0].share) == parts[0].length.sum()


def test_a_fit_finds_the_factors_and_has_1_for_what_was_not_met() -> None:
    found = fit_priors(TOY, {2: MADE})
    assert found.shape == (len(TOY.seats), 2, TOY.num_actions)
    for round_, met in ((0, ACTIONS), (1, ACTIONS - 1)):
        true = np.log(FACTORS[round_, :met])
        np.testing.assert_allclose(np.log(found[0, round_, :met]), true - true.mean(), atol=0.05)
    assert (found[0, :, ACTIONS:] == 1).all()
    assert found[0, 0, ACTIONS - 1] != 1
    assert found[0, 1, ACTIONS - 1] == 1  # occurs in the first round only
    assert (found[1:] == 1).all()
    assert np.log(found[0]).sum(axis=1) == pytest.approx(0, abs=1e-4)
    assert fit_priors(TOY, {2: MADE}).tobytes() == found.tobytes()


def test_extreme_factors_are_limited() -> None:
    one = made(600, np.exp(20.0 * np.eye(2, ACTIONS)))
    found = np.log(fit_priors(TOY, {2: one}))
    assert found.max() <= 5.001
    assert found.min() >= -5.001


def test_no_decisions_give_factors_of_1() -> None:
    none = MADE.take(np.zeros(3000, bool))
    for decisions in ({}, {2: none}, {2: MADE.take(MADE.held_out)}):
        assert (fit_priors(TOY, decisions) == 1).all()
    assert figures_of_priors(TOY, 2, none, fit_priors(TOY, {2: none}))["decisions"] == 0


@pytest.mark.parametrize("game", [CATHEDRAL, DUEL, TOY], ids=lambda game: game.name)
def test_actions_are_alike_if_they_differ_in_a_seat(game: Game) -> None:
    names = {game.seat_name(seat) for seat in range(max(game.seats))}
    for code, lowest in enumerate(classes(game).tolist()):
        differing = set(game.texts[code].split()) ^ set(game.texts[lowest].split())
        assert lowest <= code
        assert differing <= names
    assert (game is CATHEDRAL) == (len(set(classes(game).tolist())) < game.num_actions)


def test_alike_actions_share_their_factor() -> None:
    codes = [CATHEDRAL.parse_action(f"place {seat} market").code for seat in ("red", "blue")]
    other = CATHEDRAL.parse_action("place red castle").code
    length, share = np.full(200, 2), np.tile([0.8, 0.2], 200)
    action = np.tile([codes[0], other], 200)
    held_out, rounds = np.zeros(200, bool), np.full(400, 1)
    found = fit_priors(CATHEDRAL, {2: Decisions(length, held_out, rounds, action, np.zeros(400), share)})[0, 0]
    assert found[codes[0]] == found[codes[1]] > 1 > found[other]


def test_figures_are_better_with_the_factors_that_made_the_visits() -> None:
    found = figures_of_priors(TOY, 2, MADE, fit_priors(TOY, {2: MADE}))
    assert found["decisions"] == 500
    assert found["learned"]["top1"] > 0.95 > found["guide"]["top1"]
    assert found["learned"]["cross_entropy"] < found["guide"]["cross_entropy"] - 0.1
