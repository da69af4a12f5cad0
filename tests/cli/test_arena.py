"""`clerestory arena`: its output, what it refuses, and that a kill loses no games."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from clerestory.arena.bots import BOTS
from clerestory.arena.errors import BadBot, BadMatch
from clerestory.cli.main import app
from clerestory.cli.options import BadOption
from clerestory.search.errors import BadLimit
from clerestory.search.options import Options

TOY = ("greedy", "random", "--game", "toy", "--workers", "1", "--budget", "20it")


MATCH = ("ismcts-plain", "random", "--budget", "50it", "--json", "--games", "20")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["arena", *map(str, arguments)])


def figures(text: str) -> dict[str, Any]:
    """The JSON report without its times."""
    found: dict[str, Any] = json.loads(text)
    for side in ("a", "b"):
        del found[side]["ms_per_move"]
    return found


def test_json_report() -> None:
    found = figures(run(*TOY, "--seats", "3", "--games", "10", "--json").output)
    assert (found["games"], found["deals"], found["bots"]) == (12, 4, ["greedy", "random"])
    assert found["score"]["low"] < found["score"]["mean"] < found["score"]["high"]
    assert found["verdict"] is None


def test_levels_of_the_card_game_meet() -> None:
    bots = ("ismcts:level=2", "ismcts:level=1", "--game", "duel", "--games", "4", "--workers", "1", "--budget", "10s")
    found = figures(run(*bots, "--json").output)
    assert (found["game"], found["games"], found["deals"]) == ("duel", 4, 2)
    assert found["a"]["iterations_per_move"] > found["b"]["iterations_per_move"] > 1


def test_infinities_are_null() -> None:
    found = figures(run(*TOY, "--games", "2", "--json").output)
    assert found["margin"]["low"] is None


def test_table_and_test() -> None:
    output = run(*TOY, "--games", "20", "--sprt=-10,30").output
    for words in ("score share of A", "Elo, A minus B", "even: 50.0%", "SPRT -10,30", "iterations a move"):
        assert words in output
    assert "SPRT" not in run(*TOY, "--games", "2").output


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        (("--seats", "7"), BadOption, "--seats"),
        (("--game", "chess"), BadOption, "--game"),
        (("--sprt", "0"), BadOption, "--sprt"),
        (("--sprt", "10,0"), BadOption, "--sprt"),
        (("--sprt=-200000,0",), BadOption, "the lower first, from -10000 to 10000"),
        (("--sprt", f"0,{'9' * 400}"), BadOption, "--sprt"),
        (("--budget", "long"), BadLimit, "budget"),
        (("--seed", str(2**64 - 1)), BadMatch, "seeds"),
        (("--ray-address", "here:1"), BadOption, "--ray-address: requires --on ray"),
        (("--out", "/nowhere/games.jsonl"), OSError, "nowhere"),
        (("--out", "/dev/zero"), BadOption, "--out: /dev/zero is not a regular file"),
        (("--out", "/"), BadOption, "--out: / is not a regular file"),
    ],
)
def test_wrong_options(options: tuple[str, ...], error: type[Exception], named: str) -> None:
    result = run(*TOY, *options)
    assert isinstance(result.exception, error)
    assert named in str(result.exception)


def test_wrong_bot_is_one_line_and_code_2() -> None:
    assert isinstance(run("greedy", "nobody").exception, BadBot)
    command = [sys.executable, "-m", "clerestory", "arena", "greedy", "nobody"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "'nobody'" in done.stderr


@pytest.fixture(scope="module")
def uninterrupted() -> dict[str, Any]:
    """The report of the match below."""
    return figures(run(*MATCH, "--workers", "1").output)


@pytest.mark.parametrize(("number", "workers"), [(signal.SIGKILL, 2), (signal.SIGINT, 2), (signal.SIGTERM, 1)])
def test_a_killed_match_goes_on(
    number: signal.Signals, workers: int, tmp_path: Path, uninterrupted: dict[str, Any]
) -> None:
    """The match is long, so that some of its games are over when the signal comes and others are not."""
    out = tmp_path / "games.jsonl"
    longer = [*MATCH[:-1], "10000", "--workers", str(workers), "--out", str(out)]
    command = [sys.executable, "-m", "clerestory", "arena", *longer]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        while process.poll() is None and (not out.exists() or out.read_bytes().count(b"\n") < 4):
            time.sleep(0.005)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert b"Traceback" not in errors
    assert 4 <= out.read_bytes().count(b"\n") < 10_001
    assert figures(run(*MATCH, "--workers", "1", "--out", out).output) == uninterrupted


def test_the_list_of_bots_has_every_option_of_a_search() -> None:
    listed = CliRunner().invoke(app, ["arena", "--bots"]).output
    assert set(BOTS) <= set(listed.splitlines())
    assert all(f"\n{field.name}=" in listed for field in fields(Options))
