"""Players of other revisions: commits of this repository, each built in its own folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clerestory.cli.remote_bots import parse_any_bot
from clerestory.search.arena.bots import Budget
from clerestory.search.arena.errors import BadBot
from clerestory.search.arena.revisions import DONE, FOLDER, settled
from tests.clients.cli.test_remote_bots import QUESTION, play


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Create a repository with one commit that cannot be built, and a folder of revisions; return the commit.

    No other test has this commit, whose server would still be running: its message names the folder.
    """
    there = tmp_path / "repository"
    there.mkdir()
    monkeypatch.chdir(there)
    monkeypatch.setenv(FOLDER, str(tmp_path / "revisions"))
    (there / "README").write_text("nothing to build")
    for command in ("init -q", "add README", f"-c user.name=x -c user.email=x@example.org commit -qm {tmp_path}"):
        subprocess.run(["git", *command.split()], check=True)
    return subprocess.run(["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


def test_a_revision_is_named_by_its_commit(repository: str) -> None:
    assert settled("revision:HEAD") == settled(f"revision:{repository[:8]}") == f"revision:{repository}"
    assert settled("revision:HEAD,level=3") == f"revision:{repository},level=3"
    assert settled("greedy:samples=3") == "greedy:samples=3"


def test_outside_a_checkout_there_are_no_revisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(BadBot, match=r"revision:HEAD: .*not a git repository"):
        settled("revision:HEAD")


@pytest.mark.system
def test_a_build_that_fails_names_its_log(repository: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole commit is built, from any folder of the repository."""
    below = tmp_path / "repository" / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@" --without-pip\n')  # pip takes long to install
    python.chmod(0o755)
    for executable, step in (("false", "venv"), (str(python), "pip")):  # the second build starts over
        monkeypatch.setattr(sys, "executable", executable)
        with pytest.raises(BadBot, match=rf"the build failed at `.* -m {step} .*`; see .*build\.log"):
            parse_any_bot(f"revision:{repository}").choose(QUESTION, 1, Budget(iterations=9))
    folder = tmp_path / "revisions" / repository
    assert not (folder / DONE).exists()
    assert (folder / "source" / "README").read_text() == "nothing to build"


@pytest.mark.system
def test_what_has_been_built_is_started(repository: str, tmp_path: Path) -> None:
    command = tmp_path / "revisions" / repository / "venv" / "bin" / "clerestory"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m clerestory "$@"\n')
    command.chmod(0o755)
    (tmp_path / "revisions" / repository / DONE).touch()
    assert play(f"revision:{repository}", "random") == play(f"revision:{repository},level=8", "random")


@pytest.mark.slow
def test_a_commit_is_built_and_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, os.environ.get(FOLDER, str(tmp_path)))
    play(settled("revision:HEAD"), "ismcts", "20ms")
