"""Games of one ply: the same for a seed on any number of processes, and training survives a kill."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from clerestory.engine.core import Game
from clerestory.engine.values.value import value_of
from clerestory.search.arena.pool import Crew, on_processes
from clerestory.search.training.errors import BadData, BadPlan
from clerestory.search.training.fit import Progress, Schedule
from clerestory.search.training.net import NetWeights, in_points, in_units, numpy_arrays
from clerestory.search.training.oneply import OnePlyTask, first_player, rehearse
from clerestory.search.training.plan import LearningPlan, OnePlyHabits
from clerestory.search.training.samples import PositionRows
from clerestory.search.training.selfplay import Habits
from tests.search.arena.matches import cathedral, inline
from tests.shipped import DUEL


def duel() -> Game:
    return DUEL


PLAN = LearningPlan(cathedral, (2, 3), chunks=1, seed=5, habits=Habits(), schedule=Schedule())
ALL = OnePlyHabits(games=6, kept=1)
SCHEDULE = Schedule(epochs=2, batch=256, rate=1e-3)


def shipped(load: object = cathedral) -> NetWeights:
    weights = replace(PLAN, load=load, seats=(2,)).weights(None)
    assert weights is not None
    return numpy_arrays(weights)


def positions(habits: OnePlyHabits, seats: int = 2, seed: int = 1) -> PositionRows:
    task = OnePlyTask(cathedral, seats, seed, 0, 0, habits.games, habits, shipped())
    [(players, number, rows)] = task.play()
    assert (players, number) == (seats, 0)
    return rows


def same(one: PositionRows, other: PositionRows) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in PositionRows.__slots__)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_positions_are_decisions_with_their_results(seats: int) -> None:
    rows = positions(ALL, seats)
    assert len(rows.seat) > ALL.games * 20 * seats
    assert set(rows.seat) == set(range(seats))
    assert list(np.unique(rows.round)) == [1, 2, 3, 4, 5, 6]
    assert rows.returns.sum(axis=1) == pytest.approx(1)
    assert rows.shares.sum(axis=1) == pytest.approx(1, abs=1e-5)
    own, _, points = cathedral().inputs(rows.state)
    assert own.shape[:2] == (len(rows.seat), seats)
    assert (rows.scores >= points).mean() > 0.9


def test_equal_seeds_give_equal_games_also_where_only_some_positions_are_kept() -> None:
    rows, some = positions(ALL), positions(replace(ALL, kept=0.2))
    assert same(positions(ALL), rows)
    assert not same(positions(ALL, seed=2), rows)
    assert 0.1 < len(some.seat) / len(rows.seat) < 0.3
    assert {state.tobytes() for state in some.state} < {state.tobytes() for state in rows.state}


def test_with_a_trace_of_1_results_are_expected() -> None:
    rows = positions(replace(ALL, trace=1, straying=0))
    assert np.array_equal(rows.shares, rows.returns)
    one = np.arange(len(rows.seat))
    assert rows.lead == pytest.approx(rows.scores[one, rows.seat] - rows.scores[one, 1 - rows.seat])


def test_a_net_plays_better_than_at_random() -> None:
    """Players who choose score more than those who play every move at random."""
    chosen, strayed = positions(ALL), positions(replace(ALL, straying=1))
    assert chosen.scores.mean() > strayed.scores.mean() + 3


def taught(path: Path, rounds: int | None = None, schedule: Schedule = SCHEDULE, crew: Crew = on_processes) -> Progress:
    plan = replace(PLAN, seats=(2,), one_ply=OnePlyHabits(games=30, kept=0.3))
    return list(islice(rehearse(plan, schedule, path, crew=crew), rounds))[-1]


def same_weights(one: Progress, other: Progress) -> bool:
    return all(np.array_equal(array, other.weights[name]) for name, array in one.weights.items())


def test_a_killed_run_continues_to_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill after the first round changes nothing; the second round is played with new weights."""
    monkeypatch.setattr("clerestory.search.training.oneply.PIECE", 10)
    whole = taught(tmp_path / "whole.npz")
    first = taught(tmp_path / "killed.npz", rounds=1, crew=inline)
    assert not same_weights(first, whole)
    assert same_weights(taught(tmp_path / "killed.npz", crew=inline), whole)
    with pytest.raises(BadData, match=r"rate is 0\.001 there, 0\.002 here"):
        taught(tmp_path / "whole.npz", schedule=replace(SCHEDULE, rate=2e-3))


@pytest.mark.parametrize(("seats", "value"), [((2,), "net-2"), ((2, 3), "net"), ((3,), "net-3")])
def test_the_shipped_value_begins(seats: tuple[int, ...], value: str) -> None:
    """That of one number of players begins for it alone."""
    weights = value_of(cathedral(), value).weights
    assert weights is not None
    first = in_points(first_player(replace(PLAN, seats=seats), SCHEDULE))
    assert all(array == pytest.approx(numpy_arrays(weights)[name], rel=1e-5) for name, array in first.items())


def test_the_card_game_is_played_too() -> None:
    task = OnePlyTask(duel, 2, 1, 0, 0, 3, ALL, in_points(in_units(shipped(duel))))
    [(_, _, rows)] = task.play()
    assert len(rows.seat) > 30


@pytest.mark.parametrize("change", [{"games": 0}, {"straying": 1.5}, {"trace": -1}, {"kept": 0}, {"noise": -0.1}])
def test_habits_out_of_range_are_rejected(change: dict[str, float]) -> None:
    with pytest.raises(BadPlan, match=next(iter(change))):
        OnePlyHabits(**change)  # type: ignore[arg-type]  # numbers of one kind
