"""The line of status: drawn on a terminal that nothing else writes to, and gone at the end."""

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

import pytest
from rich.console import Console

from clerestory.cli import showing, status
from clerestory.cli.status import is_pipe, status_line, tracked
from tests.clients.cli.command import EXAMPLES, POSITIONS, run

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
ERASED = "\x1b[2K"  # a line
OPENING = POSITIONS / "toy-2p-round1.json"
RECORD = EXAMPLES / "records" / "duel-2p.jsonl"


class FakeTerminal(io.StringIO):
    def __init__(self, *, is_one: bool) -> None:
        super().__init__()
        self.is_one = is_one

    def isatty(self) -> bool:
        return self.is_one

    @property
    def drawn(self) -> str:
        return ESCAPES.sub("", self.getvalue())


@contextmanager
def terminal(*, is_one: bool = True, piped: bool = False) -> Iterator[FakeTerminal]:
    """Make standard error a terminal or not, and standard output a pipe or a file."""
    error = FakeTerminal(is_one=is_one)
    with pytest.MonkeyPatch.context() as patch, TemporaryFile("w") as file:
        for name in ("TERM", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
            patch.delenv(name, raising=False)
        patch.setattr(sys, "stderr", error)
        patch.setattr(sys, "stdout", io.StringIO() if piped else file)
        yield error


@pytest.mark.parametrize("still", [False, True])
def test_finished_steps_are_counted_and_the_line_goes(still: bool) -> None:
    with terminal() as error:
        assert list(tracked("abc", "counting", 3, still=still)) == ["a", "b", "c"]
    assert "counting" in error.drawn
    assert error.getvalue().rstrip().endswith(ERASED)


def test_a_still_line_is_drawn_once_for_each_step() -> None:
    with terminal() as error:
        list(tracked("abc", "counting", 3, still=True))
    counts = re.findall(r"\d/\d", error.drawn)
    assert [count for i, count in enumerate(counts) if i == 0 or count != counts[i - 1]] == ["0/3", "1/3", "2/3", "3/3"]


def test_work_without_steps_has_no_count() -> None:
    with terminal() as error, status_line("thinking [b]"):
        pass
    assert "thinking [b] 0:00:00" in error.drawn
    assert "/" not in error.drawn


@pytest.mark.parametrize(
    ("is_one", "piped", "hidden"), [(True, False, True), (False, False, False), (True, True, False)]
)
def test_programs_and_files_get_no_line(is_one: bool, piped: bool, hidden: bool) -> None:
    with terminal(is_one=is_one, piped=piped) as error:
        assert list(tracked([1, 2], "counting", 2, hidden=hidden)) == [1, 2]
    assert error.getvalue() == ""


def test_a_pipe_is_told_from_a_file(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader), os.fdopen(writer, "w") as pipe, (tmp_path / "file").open("w") as file:
        assert (is_pipe(pipe), is_pipe(file), is_pipe(io.StringIO())) == (True, False, True)


COMMANDS = [
    (("recommend", OPENING, "--iterations", 5), "searching"),
    (("recommend", OPENING, "--iterations", 5, "--language", "de"), "suche"),
    (("hint", OPENING, "--time", "1ms"), "searching"),
    (("replay", RECORD), "replaying"),
    (("replay", RECORD, "--brief"), "replaying"),
    (("bench", "engine", "--game", "toy", "--runs", 2, "--time", "10ms"), "bench engine"),
    (("bench", "budget", "--game", "toy", "--count", 2, "--time", "1ms"), "bench budget"),
    (("bench", "early", OPENING, "--searcher", "--calls", 2, "--time", "1ms"), "bench early"),
]


@pytest.mark.parametrize(("words", "told"), COMMANDS, ids=str)
def test_commands_say_that_they_work(words: tuple[object, ...], told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --json they do not."""
    monkeypatch.setattr(Console, "is_terminal", True)
    monkeypatch.setattr(status, "is_pipe", lambda _: False)
    done, for_programs = run(*words), run(*words, "--json")
    assert (done.code, told in done.err) == (0, True)
    assert (for_programs.code, for_programs.err) == (0, "")


def test_the_games_of_a_replay_are_its_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Console, "is_terminal", True)
    monkeypatch.setattr(status, "is_pipe", lambda _: False)
    monkeypatch.setattr(showing, "on_terminal", lambda: True)
    assert run("replay", RECORD, "--brief").err == ""
