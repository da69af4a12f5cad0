"""The command as a whole: its list of commands, exit codes, and standard streams."""

import io
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from types import SimpleNamespace
from typing import Any

import pytest

from clerestory import __version__
from clerestory.cli import playing, teaching
from clerestory.cli.main import BAD_INPUT, FAILURES, main
from clerestory.cli.options import BadOption, read_file
from clerestory.engine import GAMES
from clerestory.engine.names import NAMES
from tests.clients.cli.command import TOY_OPENING, run

COMMANDS = ["play", "recommend", "analyze", "hint", "annotate", "lesson", "puzzle", "serve", "doctor", "store", "web"]
COMMANDS += ["mcp", "health", "new", "show", "schema", "rules", "replay", "simulate", "arena", "tune"]
COMMANDS += ["learn", "bench", "completion", "manual"]
BENCHES = ["service", "early", "value", "engine", "search", "budget"]


def test_the_version_is_printed() -> None:
    assert run("--version").out == f"clerestory {__version__}\n"


@pytest.mark.parametrize("words", [[name] for name in COMMANDS] + [["bench", name] for name in BENCHES], ids=" ".join)
def test_every_command_has_help_that_names_values_by_what_they_are(words: list[str]) -> None:
    """Not by Python types; and the help of `--game` says which game each name means."""
    done = run(*words, "--help")
    assert done.code == 0
    assert f"clerestory {' '.join(words)} [OPTIONS]" in done.out.splitlines()[0]
    assert not re.search(r"<(str|path|int|list)\b| TEXT | X  ", done.out)
    if "--game GAME" in done.out:
        assert [name for name in NAMES if f"{name} (" not in " ".join(done.out.split())] == []


@pytest.mark.parametrize(("words", "names"), [([], COMMANDS), (["bench"], BENCHES)], ids=["all", "bench"])
def test_the_list_of_commands_is_whole_sentences(words: list[str], names: list[str]) -> None:
    lines = run(*words, "--help").out.splitlines()
    listed = [line.split(maxsplit=1) for line in lines if line.startswith("  ") and line[2] not in " -"]
    assert [name for name, _ in listed if name in names] == names
    assert [about for name, about in listed if name in names and re.search(r"\.\.\.$|[^.]$", about)] == []


def test_the_commands_that_people_use_first_come_first() -> None:
    headings = [line.rstrip(":") for line in run("--help").out.splitlines() if re.match(r"\w.*:$", line)]
    assert headings[1:] == ["Play and ask", "Serve", "Positions and records", "Research", "Install"]


def test_an_unknown_command_is_answered_with_a_similar_one() -> None:
    done = run("shwo")
    assert done.code == 2
    assert "Did you mean 'show'?" in done.err


def test_help_names_the_games_that_exist() -> None:
    assert list(GAMES) == list(NAMES)


@pytest.mark.parametrize("name", sorted(BAD_INPUT | FAILURES))
def test_every_error_that_ends_a_command_in_one_line_exists(name: str) -> None:
    found = resolve_name(name)
    assert issubclass(found, Exception)
    assert f"{found.__module__}.{found.__qualname__}" == name


def test_an_error_of_ours_is_raised_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.cli.positions.first_decision", None)
    with pytest.raises(TypeError):
        run("new", "--game", "toy")


def exit_code(monkeypatch: pytest.MonkeyPatch, output: io.TextIOWrapper | None, *words: object) -> int:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(sys, "argv", ["clerestory", *map(str, words)])
    monkeypatch.setattr("clerestory.cli.main.signal.signal", lambda *_: None)
    with monkeypatch.context() as patch, pytest.raises(SystemExit) as end:
        patch.setattr(sys, "stdout", output)
        main()
    return int(end.value.code or 0)


@pytest.mark.parametrize("words", [["show", TOY_OPENING], ["rules", "--game", "duel"], ["--version"]], ids=str)
def test_standard_output_without_space_is_named(
    words: list[object], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path("/dev/full").open("w") as full:
        assert exit_code(monkeypatch, full, *words) == 1
    assert capsys.readouterr().err == "clerestory: standard output: No space left on device\n"


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("ascii", ["rules", "--game", "duel"]),
        ("latin-1", ["recommend", TOY_OPENING, "--iterations", "10", "--language", "de"]),
    ],
)
def test_characters_that_are_lacking_are_replaced(
    encoding: str, words: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    output = io.TextIOWrapper(written, encoding=encoding)
    assert exit_code(monkeypatch, output, *words) == 0
    output.flush()
    assert b"?" in written.getvalue()


@pytest.mark.parametrize("closed", ["stdin", "stdout"])
def test_a_closed_standard_stream_is_named(closed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    session: Any = SimpleNamespace(emit=None)
    readers: list[Callable[[], object]] = [partial(teaching.read, "> "), partial(playing.read_line, session, "> ")]
    if closed == "stdin":
        readers += [partial(read_file, "-"), partial(playing.read_line, session, "> ", unseen=True)]
    monkeypatch.setattr(sys, closed, None)
    for read in readers:
        with pytest.raises(BadOption, match=f"^standard {closed.removeprefix('std')}put is closed; "):
            read()


def test_a_game_goes_on_without_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    written = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    assert exit_code(monkeypatch, written, "play", "--game", "toy", "--seats", "person,person") == 0
    sys.stderr.close()  # which the command opened in its place
