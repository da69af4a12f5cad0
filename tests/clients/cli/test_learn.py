"""`clerestory learn`: its folders, failed games, missing packages, and games in parallel."""

import sys
from functools import partial
from pathlib import Path

import pytest

from tests.clients.cli.command import run

learn = partial(run, "learn")


def test_a_folder_is_known_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bots of the gate have it in their names, in files of games that another run goes on with."""
    monkeypatch.chdir(tmp_path)
    found = []
    monkeypatch.setattr("clerestory.search.training.loop.learn", lambda plan, gate, out, *_: found.append(out) or [])
    for out in ("new", tmp_path / "new"):
        assert learn("cathedral", "--out", out).code == 0
    assert found == [tmp_path / "new"] * 2


def test_a_run_that_ended_after_failures_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gated(*passed: bool) -> str:
        records = [{"generation": i, "gate": {"passed": one, "matches": []}} for i, one in enumerate(passed)]
        monkeypatch.setattr("clerestory.search.training.loop.learn", lambda *_: records)
        return learn("cathedral", "--out", tmp_path).out

    assert gated(True, False, False).splitlines()[3:] == ["the run has ended: 2 generations in a row did not pass"]
    assert "ended" not in gated(False, True, False)


def test_without_numpy_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    done = learn("cathedral", "--out", tmp_path)
    assert done.code == 2
    assert "clerestory[numpy]" in done.err


def test_games_alone_are_played_side_by_side(tmp_path: Path) -> None:
    """Two commands, one for each number of players, into one folder."""
    new = tmp_path / "new"
    tiny = ("--out", new, "--games", "20", "--quick", "1", "--full", "2", "--games-only", "--workers", "1")
    for seats in ("2", "3"):
        assert learn("cathedral", "--seats", seats, *tiny).code == 0
    assert sorted(path.parent.name for path in new.rglob("*.npz")) == ["2-players", "3-players"]
    assert not list(new.rglob("*.net"))
    assert "seed is 0 there, 1 here" in learn("cathedral", "--seats", "2", *tiny, "--seed", "1").err
