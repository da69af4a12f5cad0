"""`clerestory play --server`: a game that the server keeps, from the first prompt to the last."""

import asyncio
import json
import re
import subprocess
import time
from pathlib import Path
from typing import IO, Any

import pytest
from rich.console import Console
from typer.main import get_command

from clerestory.cli.kept import KeptSession, command_of, play_kept, view_of
from clerestory.cli.main import app
from clerestory.cli.playing import Session
from clerestory.clients import Advisor, KeptGame
from clerestory.engine import read_records
from clerestory.server.app import start
from clerestory.server.config import Settings
from tests.cli.test_play import COMMAND, play

TOY = ["--game", "toy", "--seed", "4", "--time", "20ms"]
SAYS = [
    ("bogus", "'bogus' is neither a legal action nor a command"),
    ("help", "take back your last decision"),
    ("?", " position"),
    ("undo", "There is nothing to take back."),
    ("save", "save: no file given"),
    ("save /nowhere/game.jsonl", "save: /nowhere/game.jsonl: No such file"),
]


def test_a_game_is_played_to_its_end(target: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    typed = "\n".join([*(typed for typed, _ in SAYS), "1", f"save {path}", "1\n"])
    done = play(*TOY, "--server", target, "--seats", "human,level:1", typed=typed)
    assert (done.returncode, done.stderr) == (0, "")
    for typed, words in SAYS:
        assert words in done.stdout, typed
    assert "seat 0 wins, " in done.stdout
    [record] = read_records(path.read_text().splitlines())
    assert record.seed is None


def test_a_game_that_was_left_is_gone_on_with(target: str) -> None:
    first = play(*TOY, "--server", target, "--seats", "human,human", typed="play 4\nundo\nplay 5\nquit\n")
    command = re.search(rf"To continue: clerestory play (--server {re.escape(target)} .+)", first.stdout)
    assert command is not None
    assert "taken back" in first.stdout
    second = play("--time", "20ms", *command[1].split(), typed="1\n" * 5)
    assert (second.returncode, second.stderr) == (0, "")
    assert "seat 0: play card 5 (play 5)" in second.stdout
    assert "To go on" not in second.stdout


def test_a_game_of_a_private_server_ends_with_it() -> None:
    left = play(*TOY, "--server", "private", "--seats", "human,bot", typed="quit\n")
    assert (left.returncode, left.stderr) == (0, "")
    assert left.stdout.endswith("Left.\n")


@pytest.mark.parametrize("name", ["lab-1#0.x", "-lab1#0.x", "--help"])
def test_a_game_is_reopened_whatever_its_name_begins_with(name: str) -> None:
    """One identifier in 64 begins with a `-`."""
    command = command_of("unix:/socket", name)
    assert command.startswith("clerestory play --server unix:/socket ")
    group = get_command(app)
    context = group.make_context("clerestory", ["play"], resilient_parsing=True)
    _, command_play, _ = group.resolve_command(context, ["play"])  # type: ignore[attr-defined]
    given = command_play.make_context("play", command.split()[2:]).params
    assert (given["start"], given["server"]) == (name, "unix:/socket")


def until(stream: IO[str], words: str, game: KeptGame | None) -> str:
    """Return the output up to these words; seat 0 of a game plays as soon as it can."""
    said = ""
    while words not in said:
        said += stream.readline()
        if game is not None and game.look().seat == 0:
            game.play(game.look().legal[0])
            game = None
    return said


def test_an_open_seat_is_taken_and_a_take_back_agreed_to(target: str) -> None:
    with Advisor(target) as advisor:
        game = advisor.games.create("toy", ["person", "open"], seed=7)
        command = [*COMMAND, game.game_id, "--server", target]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            said = until(child.stdout, "to decide", game)
            asked = game.look().ply - 1
            game.take_back(asked)
            child.stdin.write("fold\n")  # too late: a question has come in between
            child.stdin.flush()
            said += until(child.stdout, "y or n", None)
            child.stdin.write("y\n")
            child.stdin.flush()
            while game.look().ply != asked:
                time.sleep(0.02)
            game.abandon()
            said += child.stdout.read()
        assert child.returncode == 0
    for words in ("the game now has version", "May the game go back to move 2?", "The game was abandoned."):
        assert words in said


def test_a_program_reads_along(target: str) -> None:
    done = play(*TOY, "--server", target, "--seats", "human,bot", "--json", typed="1\n1\n")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["version"] for line in lines if "version" in line] == list(range(1, len(lines)))
    assert lines[-1]["win_shares"]


async def test_nothing_is_lost_or_asked_twice_however_long_a_player_thinks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Signs of life come while the terminal waits for a line, and are read only after it."""
    prompts: list[str] = []
    told: list[dict[str, Any]] = []

    def think(prompt: str) -> str:
        time.sleep(0.02)
        prompts.append(prompt)
        return "1"

    def sit_down(address: str) -> None:
        with Advisor(address) as advisor:
            game = advisor.games.create("toy", ["person", "bot"], seed=4, time="10ms")
            session = Session(view_of(game.look()), [], advisor, Console(quiet=True), "10ms", 0, None, table=False)
            session.tell = told.append
            play_kept(KeptSession(game, session, address))
            assert [one["version"] for one in told if "version" in one] == [*range(1, game.version + 1)]
            assert [one["seat"] for one in told if "version" in one].count(0) == len(prompts)

    monkeypatch.setattr("clerestory.games.scenes.HEARTBEAT", 0.001)
    monkeypatch.setattr("clerestory.cli.playing.typed_line", think)
    server = await start(Settings(listen=f"unix:{tmp_path}/socket", store="memory:", workers=1))
    await asyncio.to_thread(sit_down, server.address)
    await server.finish()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seats", "human,chimp"], "seats[1]: 'chimp' is not person"),
        (["x" * 22], "is not a game of this server"),
        ([f"{'x' * 22}#0.{'y' * 43}"], "is not a game of this server"),
    ],
)
def test_what_makes_no_sense_is_one_line(target: str, arguments: list[str], words: str) -> None:
    done = play(*arguments, "--server", target)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
