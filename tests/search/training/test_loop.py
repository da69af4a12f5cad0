"""The loop, with tiny budgets: its files, and that kills, processes and folders of other runs change nothing."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clerestory.engine.errors import BadWeights
from clerestory.engine.values.value import value_of
from clerestory.engine.values.weights import read_weights
from clerestory.search.arena.errors import BadMatch
from clerestory.search.arena.results import lock
from clerestory.search.training.errors import BadData, BadPlan
from clerestory.search.training.fit import Schedule
from clerestory.search.training.gate import GateOptions
from clerestory.search.training.loop import Resources, best_value, due, learn
from clerestory.search.training.plan import LearningPlan, OnePlyHabits
from clerestory.search.training.selfplay import Habits
from tests.search.arena.matches import cathedral, inline, toy

PLAN = LearningPlan(
    load=cathedral,
    seats=(2,),
    chunks=1,
    seed=5,
    habits=Habits(quick=2, full=6, least_visits=1),
    schedule=Schedule(epochs=2, batch=256),
    fits=2,
)
OPEN = GateOptions(budgets=("2it",), games=8, elo0=-9000, elo1=-8000)  # passes an equally strong candidate
SHUT = replace(OPEN, elo0=8000, elo1=9000)


def weights_of(folder: Path) -> list[bytes]:
    paths = sorted(folder.glob("generation-*/candidate.net"))
    found = [read_weights(path, cathedral()) for path in paths]
    return [b"".join(array.tobytes() for array in (*read.arrays.values(), read.priors or b"")) for read in found]


@pytest.fixture(scope="module", autouse=True)
def small_chunks() -> Iterator[None]:
    """Use the fewest games that include some held out, and some for calibration."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("chunks", "loop"):
            patch.setattr(f"clerestory.search.training.{module}.GAMES_PER_CHUNK", 12)
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    records = list(learn(PLAN, OPEN, folder, 2, Resources()))
    assert [record["gate"]["passed"] for record in records] == [True, True]
    return folder


def later_than(stop: int) -> Callable[[str, list[str]], list[str]]:
    return lambda folder, names: [
        name for name in names if (path := Path(folder, name)).is_file() and path.stat().st_mtime_ns > stop
    ]


def test_games_of_one_ply_come_first(tmp_path: Path, whole: Path) -> None:
    """The fit starts from their weights, which are kept; a run without them ends with other weights."""
    plan = replace(PLAN, one_ply=OnePlyHabits(rounds=1, games=4))
    list(learn(plan, OPEN, tmp_path, 1, Resources()))
    first = read_weights(tmp_path / "one-ply.net", cathedral())
    assert first.provenance["one_ply"]["games"] == 4
    candidate = read_weights(tmp_path / "generation-0" / "candidate.net", cathedral())
    assert candidate.provenance["start"] == first.checksum
    assert not (tmp_path / "one-ply.npz").exists()
    assert weights_of(tmp_path) != weights_of(whole)[:1]


def test_what_a_generation_leaves_behind(whole: Path) -> None:
    folder = whole / "generation-1"
    assert sorted(path.name for path in folder.iterdir()) == [
        "2-players", "candidate.net", "figures.json", "gate", "gate.json", "value.net",
    ]  # fmt: skip
    provenance = read_weights(folder / "value.net", cathedral()).provenance
    assert (provenance["generation"], provenance["gate"]["passed"]) == (1, True)
    assert provenance["games"] == {"2": {"0": 12, "1": 12}}
    assert provenance["held_out"]["2"]["positions"] > 0
    assert provenance["priors"]["2"]["decisions"] > 0
    (match,) = provenance["gate"]["matches"]
    assert (match["seats"], match["budget"], match["games"]) == (2, "2it", OPEN.games)
    assert match["opponent"].startswith("ismcts:value=generation-0/value.net,")
    assert "generation 1" in (whole / "report.html").read_text()
    (results,) = (whole / "generation-0" / "gate").iterdir()
    assert "priors=learned" in results.read_text()


def test_a_value_has_the_priors_of_its_candidate(whole: Path) -> None:
    for number in range(2):
        folder = whole / f"generation-{number}"
        candidate, value = (read_weights(folder / name, cathedral()).priors for name in ("candidate.net", "value.net"))
        assert candidate is not None
        assert value is not None
        assert candidate.tobytes() == value.tobytes()
        assert set(np.asarray(candidate)[1:].ravel().tolist()) == {1.0}  # there were no games of 3 or 4 players


def test_the_next_generation_is_played_by_the_value_that_passed_and_says_so(whole: Path) -> None:
    assert best_value(whole, 1) == whole / "generation-0" / "value.net"
    assert best_value(whole, 0) is None
    assert due(whole) == 2
    shipped, value = value_of(cathedral(), "net-2").weights, whole / "generation-0" / "value.net"
    assert shipped is not None
    assert PLAN.selfplay(0, 2, None).header()["search"]["value"] == shipped.checksum
    passed = read_weights(value, cathedral()).checksum
    assert PLAN.selfplay(1, 2, value).header()["search"]["value"] == passed != shipped.checksum


def test_a_fit_goes_on_from_the_value_that_played(whole: Path) -> None:
    shipped = value_of(cathedral(), "net-2").weights
    assert shipped is not None
    before = shipped
    for number in range(2):
        folder = whole / f"generation-{number}"
        found = read_weights(folder / "candidate.net", cathedral())
        assert found.provenance["start"] == before.checksum
        own, begun = (np.array(weights.arrays["own"]) for weights in (found, before))
        assert 0 < np.abs(own - begun).sum() < 0.5 * np.abs(begun).sum()
        before = read_weights(folder / "value.net", cathedral())


def test_a_candidate_may_be_the_mean_of_the_first_and_the_fitted_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    losses = iter([0.5, 0.6, 0.4, 0.3])  # of the first fit and its mean, of the second fit and its mean
    predicted: list[dict[str, Any]] = []

    def loss(weights: dict[str, Any], *_: object) -> float:
        predicted.append(weights)
        return next(losses)

    monkeypatch.setattr("clerestory.search.training.loop.results_loss", loss)
    monkeypatch.setattr("clerestory.search.training.loop.calibrated", lambda weights, *_: weights)
    list(learn(PLAN, OPEN, tmp_path, 1, Resources()))
    first = value_of(cathedral(), "net-2").weights
    found = read_weights(tmp_path / "generation-0" / "candidate.net", cathedral())
    assert first is not None
    assert found.provenance["start_share"] == 0.5
    for name in ("own", "second", "strength"):
        fitted, begun = predicted[2][name].ravel(), np.array(first.arrays[name])
        assert np.abs(fitted - begun).max() > 0
        np.testing.assert_allclose(np.array(found.arrays[name]), (fitted + begun) / 2, rtol=1e-6)


@pytest.mark.parametrize("kept", ["generation-0/2-players", "generation-1/figures.json"])
def test_what_was_lost_is_made_again_alike(kept: str, whole: Path, tmp_path: Path) -> None:
    """A run that was killed after writing a file continues."""
    stop = (whole / kept).stat().st_mtime_ns
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True, ignore=later_than(stop))
    list(learn(PLAN, OPEN, tmp_path, 2, Resources(workers=2, crew=inline)))
    assert weights_of(tmp_path) == weights_of(whole)
    games = "generation-1/2-players/00000.npz"
    assert (tmp_path / games).read_bytes() == (whole / games).read_bytes()


def test_a_shut_gate_keeps_the_value_before_and_ends_the_run(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("gate*", "value.net", "*-1"))
    records = list(learn(PLAN, SHUT, tmp_path, 5, Resources()))
    assert [record["gate"]["passed"] for record in records] == [False, False]
    assert best_value(tmp_path, 5) is None


# -- errors ----------------------------------------------------------------------------------------


OTHERS = {"game": "duel", "catalogue": "other", "features": "other", "rules_revision": 9, "seed": 6, "selfplay": 1}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        *((json.dumps({**PLAN.header(), name: value}), f"{name} is {value!r} there") for name, value in OTHERS.items()),
        *((content, r"(cannot be read|is not a JSON object)") for content in ("", "{", "[]")),
    ],
    ids=[*OTHERS, "nothing", "no JSON", "no object"],
)
def test_a_folder_of_something_else_is_rejected(content: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "learn.json").write_text(content)
    with pytest.raises(BadData, match=rf"learn\.json: {says}"):
        next(learn(PLAN, OPEN, tmp_path, 1, Resources()))


def test_a_generation_that_was_gated_stays_as_it_is(whole: Path, tmp_path: Path) -> None:
    """When a run continues, the shipped search may have other options, and more games may be requested."""
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    other = replace(PLAN, chunks=2, search={**PLAN.search, "exploration": 0.3})
    assert list(learn(other, OPEN, tmp_path, 2, Resources())) == list(learn(PLAN, OPEN, whole, 2, Resources()))


def test_two_runs_in_one_folder_are_rejected(tmp_path: Path) -> None:
    with (tmp_path / "learn.lock").open("a+b") as file:
        lock(file)
        with pytest.raises(BadMatch, match="another run"):
            next(learn(PLAN, OPEN, tmp_path, 1, Resources()))


def test_a_value_that_is_damaged_is_named(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*-1"))
    path = tmp_path / "generation-0" / "value.net"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(BadWeights, match=r"value\.net"):
        list(learn(PLAN, OPEN, tmp_path, 2, Resources()))


@pytest.mark.parametrize(
    ("change", "says"),
    [({"load": toy}, "toy has no features"), *(({"seats": seats}, "seats") for seats in ((), (2, 5), (1,)))],
)
def test_a_plan_that_cannot_be_followed_is_rejected(change: dict[str, Any], says: str) -> None:
    with pytest.raises(BadPlan, match=says):
        replace(PLAN, **change)
