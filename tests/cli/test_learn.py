"""`clerestory learn`: what it refuses, each by name, before anything is played."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from clerestory.arena.errors import BadBot
from clerestory.cli.main import app
from clerestory.cli.options import BadOption
from clerestory.search.errors import BadLimit


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["learn", *map(str, arguments)])


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        (("chess",), BadOption, "GAME: 'chess' is not one of"),
        (("cathedral", "--seats", "2,7"), BadOption, "--seats: 7"),
        (("cathedral", "--seats", "two"), BadOption, "--seats: 'two'"),
        (("cathedral", "--search", "depth=2"), BadLimit, "depth: is not an option of a search; there are selection"),
        (("cathedral", "--search", "reward"), BadLimit, "reward: needs a value"),
        (("cathedral", "--sprt", "20,0"), BadOption, "--sprt"),
        (("cathedral", "--seats", "2", "--budgets", "9it,"), BadLimit, "budget: '' is not a time"),
        (("cathedral", "--seats", "2", "--budgets", "2000it,9its"), BadLimit, "budget: '9its' is not a time"),
        (("cathedral", "--seats", "2", "--against", "gredy"), BadBot, "'gredy': unknown bot"),
        (("cathedral", "--out", "a,b"), BadOption, "--out: "),
        (("cathedral", "--ray-address", "here:1"), BadOption, "--ray-address"),
    ],
)
def test_wrong_options(options: tuple[str, ...], error: type[Exception], named: str, tmp_path: Path) -> None:
    result = run("--out", tmp_path / "new", *options)
    assert isinstance(result.exception, error)
    assert named in str(result.exception)
    assert not (tmp_path / "new").exists()


def test_a_folder_is_known_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bots of the gate have it in their names, in files of games that another run goes on with."""
    monkeypatch.chdir(tmp_path)
    found = []
    monkeypatch.setattr("clerestory.cli.learning.learn", lambda plan, gate, out, *_: found.append(out) or [])
    for out in ("new", tmp_path / "new"):
        assert run("cathedral", "--out", out).exit_code == 0
    assert found == [tmp_path / "new"] * 2


def test_it_is_said_that_failures_have_ended_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gated(*passed: bool) -> str:
        records = [{"generation": i, "gate": {"passed": one, "matches": []}} for i, one in enumerate(passed)]
        monkeypatch.setattr("clerestory.cli.learning.learn", lambda *_: records)
        return run("cathedral", "--out", tmp_path).output

    assert gated(True, False, False).splitlines()[3:] == ["the run has ended: 2 generations in a row did not pass"]
    assert "ended" not in gated(False, True, False)


def test_without_numpy_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    result = run("cathedral", "--out", tmp_path)
    assert isinstance(result.exception, BadOption)
    assert "clerestory[numpy]" in str(result.exception)


def test_games_alone_are_played_side_by_side(tmp_path: Path) -> None:
    """Two commands, one for each number of players, into one folder."""
    new = tmp_path / "new"
    tiny = ("--out", new, "--games", "20", "--quick", "1", "--full", "2", "--games-only", "--workers", "1")
    for seats in ("2", "3"):
        result = run("cathedral", "--seats", seats, *tiny)
        assert result.exit_code == 0, result.exception
    assert sorted(path.parent.name for path in new.rglob("*.npz")) == ["2-players", "3-players"]
    assert not list(new.rglob("*.net"))
    result = run("cathedral", "--seats", "2", *tiny, "--seed", "1")
    assert "seed is 0 there, 1 here" in str(result.exception)
