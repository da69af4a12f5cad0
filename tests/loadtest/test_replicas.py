"""Envoy in front of two servers: the program used, and the message if there is none."""

import sys
from pathlib import Path

import pytest
import typer

from loadtest.envoy import find_envoy
from loadtest.replicas import main


def program(folder: Path) -> Path:
    folder.mkdir()
    path = folder / "envoy"
    path.touch(mode=0o755)
    return path


def test_the_envoy_of_our_environment_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, other = program(tmp_path / "own"), program(tmp_path / "other")
    monkeypatch.setattr(sys, "executable", str(own.with_name("python")))
    monkeypatch.setenv("PATH", str(other.parent))
    assert find_envoy() == str(own)
    own.unlink()
    assert find_envoy() == str(other)


def test_a_missing_envoy_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(typer.Exit) as end:
        main()
    said = capsys.readouterr()
    assert (end.value.exit_code, said.out, said.err.count("\n")) == (1, "", 1)
    assert said.err.startswith("loadtest.replicas: there is no envoy")
