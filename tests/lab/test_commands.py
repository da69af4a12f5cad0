"""Tools that gather and read files report a bad file in one line, not by a traceback."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lab import certainty, ladder, shares
from lab.commands import run


@pytest.mark.parametrize(("main", "command"), [(shares.main, "report"), (certainty.main, "fit"), (ladder.main, "fit")])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file or directory"),
        ("", "nothing was gathered yet"),
        ('{"a": 1}\n{"a"\n', "line 2 is not JSON: "),
    ],
)
def test_a_file_that_cannot_be_read_is_named(
    main: Callable[[], None],
    command: str,
    content: str | None,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "gathered.jsonl"
    if content is not None:
        path.write_text(content)
    monkeypatch.setattr(sys, "argv", ["tool", command, str(path)])
    with pytest.raises(SystemExit) as stopped:
        run(main)
    assert str(stopped.value.code).startswith(f"{path}: {said}")
