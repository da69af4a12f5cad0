"""The fit learns planted relations, continues after a kill, and is reproducible."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from clerestory.search.training.errors import BadData, BadPlan
from clerestory.search.training.fit import Schedule, batches, fit, header_of, rate_at
from clerestory.search.training.net import NetWeights
from tests.search.training.made import encode, samples

SCHEDULE = Schedule(epochs=3, batch=64, rate=0.01, seed=4)
SOME = {2: samples(2, 300, 1), 4: samples(4, 200, 2)}


def last(schedule: Schedule, path: Path | None = None, epochs: int | None = None) -> NetWeights:
    kept = None if path is None else (path, header_of(schedule))
    *_, progress = islice(fit(SOME, encode, schedule, kept=kept), epochs)
    return progress.result(schedule)


def same(one: NetWeights, other: NetWeights) -> bool:
    return all(np.array_equal(array, other[name]) for name, array in one.items())


def test_equal_seeds_give_equal_weights() -> None:
    assert same(last(SCHEDULE), last(SCHEDULE))
    assert not same(last(SCHEDULE), last(replace(SCHEDULE, seed=5)))


def test_a_killed_fit_goes_on_to_the_same_weights_and_is_not_taken_for_another(tmp_path: Path) -> None:
    path = tmp_path / "fit.npz"
    stopped = last(SCHEDULE, path, epochs=1)
    whole = last(SCHEDULE)
    assert not same(stopped, whole)
    assert same(last(SCHEDULE, path), whole)
    with pytest.raises(BadData, match=r"seed is 4 there, 5 here"):
        last(replace(SCHEDULE, seed=5), path)


def test_the_last_weights_are_averaged(tmp_path: Path) -> None:
    """The mean over a share of the steps is that of the weights after each of them."""
    steps = len(batches(SOME, SCHEDULE, 0))
    every = replace(SCHEDULE, epochs=1, averaged=2 / steps)
    only_last = replace(every, averaged=0.0)
    *_, progress = fit(SOME, encode, every)
    assert not same(progress.result(every), progress.weights)
    assert same(last(only_last), progress.weights)
    before = {name: 2 * array - progress.weights[name] for name, array in progress.average.items()}
    step_back = {name: np.abs(progress.weights[name] - array).max() for name, array in before.items()}
    assert 0 < max(step_back.values()) < 0.002  # up to a step at the lowest rate


def test_nothing_to_learn_from_is_said() -> None:
    with pytest.raises(BadPlan, match="too few"):
        next(fit({}, encode, SCHEDULE))


def test_batches_hold_everything_once_and_decisions_whole() -> None:
    found = batches(SOME, SCHEDULE, 0)
    for seats, part in SOME.items():
        rows = np.concatenate([rows for of, rows, _ in found if of == seats])
        lines = [lines for of, _, lines in found if of == seats]
        assert sorted(rows) == list(range(len(part.positions.seat)))
        assert sorted(np.concatenate(lines)) == list(range(len(part.lines.seat)))
        decisions = [set(part.lines.decision[some]) for some in lines]
        assert sum(map(len, decisions)) == len(set.union(*decisions))
    assert [of for of, *_ in found] != sorted(of for of, *_ in found)
    assert any(not np.array_equal(a[1], b[1]) for a, b in zip(found, batches(SOME, SCHEDULE, 1), strict=True))


def test_the_rate_rises_and_falls() -> None:
    rates = [rate_at(place / 100) for place in range(101)]
    top = rates.index(max(rates))
    assert top == 30
    assert max(rates) == pytest.approx(1)
    assert rates[:31] == sorted(rates[:31])
    assert rates[30:] == sorted(rates[30:], reverse=True)


@pytest.mark.parametrize("wrong", ["epochs", "batch", "rate"])
def test_schedules_that_make_no_sense(wrong: str) -> None:
    with pytest.raises(BadPlan, match=wrong):
        Schedule(**{wrong: 0})  # type: ignore[arg-type]
