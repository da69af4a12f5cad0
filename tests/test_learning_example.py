"""The example that learns a game: its parts, one short round, and, slowly, whether it beats `greedy`."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

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


def test_a_short_run_ends(example: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(example, "ROUND", 100)
    monkeypatch.setattr(example, "GAMES_AT_ONCE", 4)
    share = example.main(["--rounds", "1", "--games", "4"])
    assert 0 <= share <= 1
    assert "of 4 games against greedy" in capsys.readouterr().out


@pytest.mark.slow
def test_it_learns_to_beat_greedy(example: Any) -> None:
    """Measured: 65.6 % of 400 games."""
    assert example.main([]) > 0.5
