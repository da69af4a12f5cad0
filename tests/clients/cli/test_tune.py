"""`clerestory tune`: its output, and that the same command resumes from its file."""

from pathlib import Path

import pytest

from tests.clients.cli.command import failed, run

TUNE = ["tune", "ismcts-plain:exploration=0.5", "exploration=0.1..2.0", "--against", "random", "--game", "toy"]
TUNE += ["--seats", "3"]
SMALL = ["--games", "40", "--deals", "3", "--confirm", "9", "--iterations", "10", "--workers", "1"]


def test_json_report_and_files_and_one_that_cannot_be_continued(tmp_path: Path) -> None:
    out = tmp_path / "steps.jsonl"
    found = run(*TUNE, *SMALL, "--out", out, "--json").json
    assert (found["steps"], found["games"], found["confirmed"]["games"]) == (3, 54, 9)
    assert found["start"] == "ismcts-plain:exploration=0.5"
    assert found["confirmed"]["a"]["bot"] == found["best"] != found["start"]
    assert {path.name: len(path.read_text().splitlines()) for path in tmp_path.iterdir()} == {
        "steps.jsonl": 1 + 3,
        "steps.after-3.jsonl": 1 + 9,
    }
    content = out.read_bytes()
    assert run(*TUNE, *SMALL, "--out", out, "--json").json["best"] == found["best"]
    assert out.read_bytes() == content
    header, *_ = out.read_text().splitlines(keepends=True)
    out.write_text(f"{header}{{}}\n")
    assert run(*TUNE, *SMALL, "--out", out) == failed(f"{out}: line 2 is not step 0")


def test_text_report() -> None:
    output = run(*TUNE, *SMALL).out
    for words in ("after 3 steps, 54 games", "start  ismcts-plain:exploration=0.5", "even: 33.3%", "Elo"):
        assert words in output


def test_a_file_of_steps_that_is_a_device_is_refused() -> None:
    assert run(*TUNE, *SMALL, "--out", "/dev/zero") == failed("--out: /dev/zero is not a regular file")


def test_a_seed_that_later_steps_cannot_follow_is_found_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three steps of three deals, and three deals between the result and the start."""
    monkeypatch.setattr("clerestory.cli.tuning.all_steps", None)
    assert run(*TUNE, *SMALL, "--seed", 2**64 - 11).code == 2
    with pytest.raises(TypeError):
        run(*TUNE, *SMALL, "--seed", 2**64 - 12)
