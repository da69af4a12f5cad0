"""`clerestory arena`: its output and errors, and that a kill loses no games."""

import signal
from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from clerestory.cli import matches
from clerestory.search.arena.bots import BOTS
from clerestory.search.options import Options
from tests.clients.cli.command import Ended, failed, run, started, until

TOY = ("greedy", "random", "--game", "toy", "--workers", "1", "--iterations", "20")


MATCH = ("ismcts-plain", "random", "--iterations", "20", "--workers", "1", "--json", "--games", "8")


arena = partial(run, "arena")

TUNE = ["tune", "ismcts-plain:exploration=0.5", "exploration=0.1..2.0", "--against", "random", "--game", "toy"]
TUNE += ["--seats", "3"]
SMALL = ["--games", "40", "--deals", "3", "--confirm", "9", "--iterations", "10", "--workers", "1"]


def figures(done: Ended) -> dict[str, Any]:
    found: dict[str, Any] = done.json
    for side in ("a", "b"):
        del found[side]["ms_per_move"]
    return found


def test_json_report() -> None:
    found = figures(arena(*TOY, "--seats", "3", "--games", "10", "--json"))
    assert (found["games"], found["deals"], found["bots"]) == (12, 4, ["greedy", "random"])
    assert found["score"]["low"] < found["score"]["mean"] < found["score"]["high"]
    assert found["verdict"] is None
    assert figures(arena(*TOY, "--games", "2", "--json"))["margin"]["low"] is None  # it is infinite


def test_table_and_test() -> None:
    output = arena(*TOY, "--games", "20", "--sprt=-10,30").out
    for words in ("score share of A", "Elo, A minus B", "even: 50.0%", "SPRT -10,30", "iterations a move"):
        assert words in output
    assert "SPRT" not in arena(*TOY, "--games", "2").out


def test_an_interrupted_match_reports_that_it_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> Iterator[None]:
        yield
        raise KeyboardInterrupt

    monkeypatch.setattr(matches, "play_match", interrupted)
    out = tmp_path / "games.jsonl"
    told = f"{out} keeps what was played; the same command goes on with it"
    assert told in arena(*MATCH, "--out", out).err
    assert "keeps" not in arena(*MATCH).err


@pytest.mark.system
@pytest.mark.parametrize(("number", "workers"), [(signal.SIGKILL, 2), (signal.SIGINT, 2), (signal.SIGTERM, 1)])
def test_a_killed_match_goes_on(number: signal.Signals, workers: int, tmp_path: Path) -> None:
    """The match is long, so that some of its games are over when the signal comes and others are not."""
    out = tmp_path / "games.jsonl"
    with started("arena", *MATCH, "--games", "10000", "--workers", workers, "--out", out) as process:
        until(lambda: process.poll() is not None or (out.exists() and out.read_bytes().count(b"\n") >= 4))
        process.send_signal(number)
        _, errors = process.communicate()
    assert process.returncode != 0
    assert (f"{out} keeps what was played" in errors) == (number == signal.SIGINT)
    assert "Traceback" not in errors
    assert 4 <= out.read_bytes().count(b"\n") < 10_001
    assert figures(arena(*MATCH, "--out", out)) == figures(arena(*MATCH))


def test_the_list_of_bots_has_every_option_of_a_search() -> None:
    listed = arena("--bots").out
    assert set(BOTS) <= set(listed.splitlines())
    assert all(f"\n{field.name}=" in listed for field in fields(Options))


# -- tune ------------------------------------------------------------------------------------------


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


def test_a_seed_that_later_steps_cannot_follow_is_found_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three steps of three deals, and three deals between the result and the start."""
    monkeypatch.setattr("clerestory.cli.matches.all_steps", None)
    assert run(*TUNE, *SMALL, "--seed", 2**64 - 11).code == 2
    with pytest.raises(TypeError):
        run(*TUNE, *SMALL, "--seed", 2**64 - 12)
