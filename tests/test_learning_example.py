"""The example that learns a game: its parts, one short round, and, slowly, whether it beats `greedy`."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[1] / "examples" / "environments" / "beat_greedy.py"


@pytest.fixture
def example() -> Any:
    spec = spec_from_file_location("beat_greedy", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_owner_gets_its_best_row_and_the_first_of_equals(example: Any) -> None:
    values, owners = np.array([1.0, 3.0, 2.0, 5.0, 4.0, 4.0]), np.array([0, 0, 0, 1, 2, 2])
    assert example.best_of_each(values, owners).tolist() == [1, 3, 4]


def test_a_margin_is_the_lead_over_the_best_other(example: Any) -> None:
    assert (example.POINTS * example.margins_of(np.array([30.0, 20.0, 27.0]))).tolist() == pytest.approx([3, -10, -3])


def test_a_net_learns_what_it_is_shown(example: Any) -> None:
    luck = np.random.default_rng(1)
    net, seen = example.Net(10, 1), luck.random((256, 10), np.float32)
    wanted = seen[:, 0] - seen[:, 1]
    errors = [net.learn(seen, wanted, 0.01) for _ in range(300)]
    assert errors[-1] < 0.01 * errors[0]


def test_a_short_run_ends(example: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(example, "ROUND", 100)
    monkeypatch.setattr(example, "GAMES_AT_ONCE", 4)
    share = example.main(["--rounds", "1", "--games", "4"])
    assert 0 <= share <= 1
    assert "of 4 games against greedy" in capsys.readouterr().out


@pytest.mark.slow
def test_it_learns_to_beat_greedy(example: Any) -> None:
    """Measured: 67.2 % of 200 games."""
    assert example.main([]) > 0.5
