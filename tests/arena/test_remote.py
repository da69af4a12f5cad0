"""Players behind a server, and other revisions: they play by the protocol of the service, and say what is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clerestory.arena.bots import Budget, parse_bot
from clerestory.arena.errors import BadBot
from clerestory.arena.match import Match
from clerestory.arena.results import Results
from clerestory.arena.revisions import DONE, FOLDER, settled
from clerestory.arena.series import play_match, report
from clerestory.engine import GAMES, State
from clerestory.search.errors import BadLimit
from tests.conftest import TOKEN
from tests.search.positions import decisions


def toy() -> State:
    return decisions(GAMES["toy"], 2, 1)[0]


def play(a: str, b: str, budget: str = "30it") -> list[list[float]]:
    """The results of a match of two deals of the toy."""
    match = Match(lambda: GAMES["toy"], 2, (a, b), budget, 7, 2)
    match.rehearse()
    results = Results()
    for _ in play_match(match, results, workers=1):
        pass
    outcome = report(match, results)
    assert outcome is not None
    assert outcome.games == 4
    return [game.returns for game in results.games]


def test_a_server_plays_as_the_search_in_this_process_does(target: str) -> None:
    there = parse_bot(f"server:{target}")
    for position in decisions(GAMES["cathedral"], 2, 3)[::30]:
        here = parse_bot("ismcts").choose(position, 5, Budget(iterations=200))
        assert there.choose(position, 5, Budget(iterations=200)).action == here.action


def test_a_server_plays_a_match(target: str) -> None:
    assert play(f"server:{target}", "random") == play(f"server:{target}", "random")
    play(f"server:{target}", f"server:{target},level=1", "5ms")


def test_a_token_opens_a_server(guarded: str, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN)
    assert parse_bot(f"server:{guarded},token_file={tmp_path / 'token'}").choose(toy(), 1, Budget(iterations=9)).action
    with pytest.raises(BadBot, match="token"):
        parse_bot(f"server:{guarded}").choose(toy(), 1, Budget(iterations=9))


def test_without_a_budget_nothing_is_asked(target: str) -> None:
    with pytest.raises(BadLimit, match="budget"):
        parse_bot(f"server:{target}").choose(toy(), 1, Budget())


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("server", "server: needs a target, as in server:HOST:PORT"),
        ("revision:", "revision: needs a target, as in revision:COMMIT"),
        ("server:127.0.0.1:1,exploration=2", "no option 'exploration'; there are level, token_file"),
        ("server:127.0.0.1:1,tls_ca=/nowhere.pem", "tls.ca: /nowhere.pem: No such file"),
        ("server:127.0.0.1:1,token_file=/nowhere", "No such file"),
        ("revision:no-such-name", "is no commit of the repository in this folder"),
        ("revision:--help", "is no commit"),
    ],
)
def test_what_is_wrong_is_named(text: str, named: str) -> None:
    with pytest.raises(BadBot, match=named):
        parse_bot(text).choose(toy(), 1, Budget(iterations=9))


# -- revisions -------------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A repository with one commit that cannot be built; returns the commit. Revisions are in a folder of their own."""
    there = tmp_path / "repository"
    there.mkdir()
    monkeypatch.chdir(there)
    monkeypatch.setenv(FOLDER, str(tmp_path / "revisions"))
    (there / "README").write_text("nothing to build")
    for command in ("init -q", "add README", "-c user.name=x -c user.email=x@example.org commit -qm first"):
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


def test_a_build_that_fails_names_its_log(repository: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of a commit is built, from whichever folder of the repository."""
    below = tmp_path / "repository" / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@" --without-pip\n')  # which takes long to make
    python.chmod(0o755)
    for executable, step in (("false", "venv"), (str(python), "pip")):  # the second time from the beginning
        monkeypatch.setattr(sys, "executable", executable)
        with pytest.raises(BadBot, match=rf"the build failed at `.* -m {step} .*`; see .*build\.log"):
            parse_bot(f"revision:{repository}").choose(toy(), 1, Budget(iterations=9))
    folder = tmp_path / "revisions" / repository
    assert not (folder / DONE).exists()
    assert (folder / "source" / "README").read_text() == "nothing to build"


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
