"""Tools that gather and read files report a bad file in one line, and only add matching lines to a file."""

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools.lab import certainty, decided, ladder, shares
from tools.lab.commands import run
from tools.lab.json_lines import BadLines, gathered


@pytest.mark.parametrize(
    ("main", "command"),
    [(shares.main, "report"), (certainty.main, "fit"), (ladder.main, "fit"), (decided.main, "table")],
)
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file or directory"),
        ("", "nothing was gathered yet"),
        ('{"a": 1}\n{"a"\n', "line 2 is not JSON: "),
    ],
)
def test_a_bad_file_is_named(
    main: Any, command: str, content: str | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "gathered.jsonl"
    if content is not None:
        path.write_text(content)
    monkeypatch.setattr(sys, "argv", ["tool", command, str(path)])
    with pytest.raises(SystemExit, match=rf"^{path}: {said}"):
        run(main)


GATHER = {
    "shares": (shares.main, ["gather", "toy", "--iterations", "5", "--games", "3"]),
    "shares on processes": (shares.main, ["gather", "toy", "--iterations", "5", "--games", "3", "--processes", "2"]),
    "certainty": (certainty.main, ["gather", "toy", "--games", "2"]),
    "ladder": (ladder.main, ["play", "duel", "--deals", "1", "--rungs", "5/0", "--anchors", "random,greedy"]),
}
OTHERS = {"shares": ["--seats", "3"], "certainty": ["--seats", "3"]}


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Path, *tuple[str, ...]], str]:
    """Runs the tool of a case on a file, with more arguments, and returns its error message."""
    monkeypatch.setattr(certainty, "LENGTHS", (5, 10))
    monkeypatch.setattr(certainty, "SPARSE", 2)

    def gather(case: str, out: Path, *more: str) -> str:
        main, arguments = GATHER[case]
        monkeypatch.setattr(sys, "argv", ["tool", *arguments, *more, "--out", str(out)])
        try:
            run(main)
        except SystemExit as stopped:
            return str(stopped.code)
        return ""

    return gather


ON_PROCESSES = pytest.param("shares on processes", marks=pytest.mark.system)


@pytest.mark.parametrize("case", ["shares", ON_PROCESSES, "certainty", "ladder"])
def test_existing_lines_are_not_gathered_again(case: str, told: Callable[..., str], tmp_path: Path) -> None:
    out = tmp_path / "gathered.jsonl"
    assert told(case, out) == ""
    once = out.read_bytes()
    assert told(case, out) == ""
    assert out.read_bytes() == once
    out.write_bytes(once[:-7])  # as left by a kill
    assert told(case, out) == ""
    assert sorted(out.read_bytes().splitlines()) == sorted(once.splitlines())


@pytest.mark.parametrize("case", OTHERS)
def test_other_games_are_not_added_to_a_file(case: str, told: Callable[..., str], tmp_path: Path) -> None:
    out = tmp_path / "gathered.jsonl"
    told(case, out)
    once = out.read_bytes()
    assert f"{out}: seats is 2 in the file, 3 here" in told(case, out, *OTHERS[case])
    assert out.read_bytes() == once


@pytest.mark.parametrize("case", ["shares", ON_PROCESSES, "certainty"])
def test_a_full_disk_ends_a_tool(
    case: str, told: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, written = tmp_path / "gathered.jsonl", []

    def full(_: object, line: dict[str, Any]) -> None:
        written.append(line)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("tools.lab.json_lines.write_line", full)
    assert told(case, out, "--games", "5000") == f"{out}: No space left on device"
    assert len(written) == 1
    with pytest.raises(BadLines):
        gathered(out)
