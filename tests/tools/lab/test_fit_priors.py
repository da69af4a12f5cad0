"""Priors are added to a value from earlier games; the net stays unchanged."""

from functools import partial
from pathlib import Path

import pytest

from clerestory.engine import game
from clerestory.engine.errors import BadWeights
from clerestory.engine.values.value import value_of
from clerestory.engine.values.weights import read_weights
from clerestory.search.training.fit import Schedule
from clerestory.search.training.loop import Resources, play, require_ours
from clerestory.search.training.plan import LearningPlan
from clerestory.search.training.selfplay import Habits
from tests.shipped import DUEL
from tools.lab.fit_priors import add_priors, row

PLAN = LearningPlan(partial(game, "duel"), (2,), 1, 5, Habits(quick=2, full=20, least_visits=1), Schedule())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    require_ours(PLAN, folder)
    play(PLAN, folder, 0, (2,), Resources())
    return folder


def test_priors_are_added_to_the_shipped_value(run: Path, tmp_path: Path) -> None:
    figures = add_priors(run, [0, 1], "net", tmp_path / "value.net")  # generation 1 has no games
    shipped, found = value_of(DUEL, "net").weights, read_weights(tmp_path / "value.net", DUEL)
    assert shipped is not None
    assert found.arrays == shipped.arrays
    assert found.priors is not None
    assert found.provenance["priors"] == figures
    assert found.provenance["priors_games"] == {"2": {"0": 20}}
    assert f"{figures['2']['decisions']:,}" in row("2", figures["2"])


def test_a_value_without_a_net_is_rejected(run: Path, tmp_path: Path) -> None:
    with pytest.raises(BadWeights, match="hand: is no net"):
        add_priors(run, [0], "hand", tmp_path / "value.net")
    assert not (tmp_path / "value.net").exists()
