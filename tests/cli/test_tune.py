"""`clerestory tune`: its output, and that the same command resumes from its file."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from clerestory.arena.errors import BadMatch
from clerestory.cli.main import app

TUNE = [
    "tune",
    "ismcts-plain:exploration=0.5",
    "exploration=0.1..2.0",
    "--against",
    "random",
    "--game",
    "toy",
    "--seats",
    "3",
]
SMALL = ["--games", "40", "--deals", "3", "--confirm", "9", "--budget", "10it", "--workers", "1"]


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_json_report_and_files(tmp_path: Path) -> None:
    out = tmp_path / "steps.jsonl"
    found = json.loads(run(*TUNE, *SMALL, "--out", out, "--json").output)
    assert (found["steps"], found["games"], found["confirmed"]["games"]) == (3, 54, 9)
    assert found["start"] == "ismcts-plain:exploration=0.5"
    assert found["confirmed"]["a"]["bot"] == found["best"] != found["start"]
    assert {path.name: len(path.read_text().splitlines()) for path in tmp_path.iterdir()} == {
        "steps.jsonl": 1 + 3,
        "steps.after-3.jsonl": 1 + 9,
    }
    content = out.read_bytes()
    assert json.loads(run(*TUNE, *SMALL, "--out", out, "--json").output)["best"] == found["best"]
    assert out.read_bytes() == content


def test_a_step_that_cannot_be_continued_names_its_file(tmp_path: Path) -> None:
    out = tmp_path / "steps.jsonl"
    run(*TUNE, *SMALL, "--out", out)
    header, *_ = out.read_text().splitlines(keepends=True)
    out.write_text(f"{header}{{}}\n")
    assert str(run(*TUNE, *SMALL, "--out", out).exception) == f"{out}: line 2 is not step 0"


def test_text_report() -> None:
    output = run(*TUNE, *SMALL).output
    for words in ("after 3 steps, 54 games", "start  ismcts-plain:exploration=0.5", "even: 33.3%", "Elo"):
        assert words in output


def test_a_file_of_steps_that_is_a_device_is_refused() -> None:
    error = run(*TUNE, *SMALL, "--out", "/dev/zero").exception
    assert str(error) == "--out: /dev/zero is not a regular file"


def test_a_seed_that_later_steps_cannot_follow_is_found_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three steps of three deals, and three deals between the result and the start."""
    monkeypatch.setattr("clerestory.cli.tuning.all_steps", None)
    assert isinstance(run(*TUNE, *SMALL, "--seed", str(2**64 - 11)).exception, BadMatch)
    assert isinstance(run(*TUNE, *SMALL, "--seed", str(2**64 - 12)).exception, TypeError)


def test_wrong_ranges_are_named() -> None:
    assert isinstance(run("tune", "greedy", "samples=4").exception, BadMatch)
