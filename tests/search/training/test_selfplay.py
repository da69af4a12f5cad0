"""Self-play: the stored data of a game are correct, and only depend on its number."""

from dataclasses import replace

import numpy as np
import pytest

from clerestory.engine import GAMES, State
from clerestory.engine.rng import Rng
from clerestory.engine.toy.rules import TOY
from clerestory.search.arena.match import nature_of
from clerestory.search.training.columns import Columns, count, join
from clerestory.search.training.errors import BadPlan
from clerestory.search.training.selfplay import Habits, Recorder, SelfPlay, play_games
from tests.foretold import ALL, foretold
from tests.search.arena.matches import toy

PLAN = SelfPlay(toy, 3, generation=0, seed=7, habits=Habits(quick=20, full=60, least_visits=5))


def games(plan: SelfPlay, numbers: range) -> Columns:
    columns = play_games(plan, numbers)
    assert columns is not None
    return columns


def same(one: Columns, other: Columns) -> bool:
    return all(np.array_equal(one[name], other[name]) and one[name].dtype == other[name].dtype for name in one)


@pytest.fixture(scope="module")
def kept() -> Columns:
    return games(PLAN, range(30))


def test_a_game_depends_on_its_number_only_and_leaves_nothing_if_it_is_stopped(kept: Columns) -> None:
    assert same(join([games(PLAN, range(9)), games(PLAN, range(9, 10)), games(PLAN, range(10, 30))]), kept)
    assert not same(games(replace(PLAN, seed=8), range(30)), kept)
    assert not same(games(replace(PLAN, generation=1), range(30)), kept)
    assert play_games(PLAN, range(3), lambda: True) is None


def test_rows_point_to_what_they_belong_to(kept: Columns) -> None:
    assert (np.diff(kept["position.game"]) >= 0).all()
    assert set(kept["position.game"]) == set(range(30))
    full = kept["position.iterations"] == 60
    assert set(kept["line.position"]) == set(np.flatnonzero(full))
    visits = np.bincount(kept["line.position"], kept["line.visits"], len(full))
    assert (visits == np.where(full, 60, 0)).all()
    assert (kept["line.visits"][kept["after.line"]] >= 5).all()


def test_targets_are_those_of_the_root(kept: Columns) -> None:
    np.testing.assert_allclose(kept["position.shares"].sum(axis=1), 1, atol=1e-5)
    total = np.bincount(kept["line.position"], kept["line.visits"] * kept["line.margin"], count(kept, "position"))
    searched = kept["position.iterations"] == 60
    np.testing.assert_allclose(total[searched] / 60, kept["position.margin"][searched], atol=1e-4)
    np.testing.assert_allclose(kept["game.returns"].sum(axis=1), 1, atol=1e-6)
    best = kept["game.scores"].max(axis=1)
    assert all(
        kept["game.scores"][row, seat] == best[row] for row, seat in enumerate(kept["game.returns"].argmax(axis=1))
    )


def test_states_are_what_the_seat_knows_with_a_choice_to_make(kept: Columns) -> None:
    """The bytes of every position equal those of a position reached by replaying the game."""
    seen = {row.tobytes() for row in kept["position.state"]}
    seed = PLAN.seed_of(0)
    state = TOY.new(3, seed)
    state.play_nature(nature_of(seed))
    first = state.observe(state.turn)
    assert first.to_bytes() in seen
    assert len(first.legal_codes()) > 1


def test_luck_reveals_nothing_of_the_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the net would infer the deck from visible flips, which is impossible in other games."""
    played: list[State] = []
    monkeypatch.setattr(Recorder, "decide", lambda _, state, luck: played.append(state) or legal_at_random(state, luck))
    plan = SelfPlay(lambda: GAMES["duel"], 2, generation=0, seed=7)
    play_games(plan, range(300))
    assert foretold({id(state): state for state in played}.values()) < ALL / 3


def legal_at_random(state: State, luck: Rng) -> int:
    legal = state.legal_codes()
    return legal[luck.below(len(legal))]


@pytest.mark.parametrize(
    ("habits", "share"), [({"full_share": 0.0}, 0.0), ({"full_share": 1.0}, 1.0), ({"full_share": 0.5}, 0.5)]
)
def test_the_share_of_full_searches(habits: dict[str, float], share: float) -> None:
    found = games(replace(PLAN, habits=replace(PLAN.habits, **habits)), range(30))  # type: ignore[arg-type]
    assert (found["position.iterations"] == 60).mean() == pytest.approx(share, abs=0.15)


def test_straying_moves_are_not_the_best() -> None:
    """Without random moves the same opening is continued in the same way; with only random moves, rarely."""
    best = games(replace(PLAN, habits=replace(PLAN.habits, straying=0, by_visits=0)), range(20))
    astray = games(replace(PLAN, habits=replace(PLAN.habits, straying=1)), range(20))
    assert not np.array_equal(best["game.scores"], astray["game.scores"])


@pytest.mark.parametrize(
    "wrong",
    [{"quick": 0}, {"full": -1}, {"least_visits": 0}, {"full_share": 1.2}, {"straying": -0.1}, {"by_visits": 2}],
)
def test_habits_that_make_no_sense(wrong: dict[str, float]) -> None:
    with pytest.raises(BadPlan, match=next(iter(wrong))):
        Habits(**wrong)  # type: ignore[arg-type]
