"""`clerestory play --server`: a hosted game, from the first prompt to the last."""

import re
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from rich.console import Console
from typer.main import get_command

from clerestory.cli.games import KeptSession, command_of, play_kept, view_of
from clerestory.cli.main import app
from clerestory.cli.playing import Session
from clerestory.clients import Advisor
from clerestory.engine import read_records
from clerestory.i18n import patterns
from clerestory.server.games import scenes
from clerestory.v1 import games_pb2 as api
from tests.clients.cli.command import ended, run, until
from tests.servers import running_server

TOY = ["--game", "toy", "--seed", "4", "--time", "20ms"]
SAYS = [("help", "take back your last decision"), ("?", " position"), ("undo", "There is nothing to take back.")]
play = partial(run, "play")


def test_a_game_is_played_to_its_end(target: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    typed = "\n".join([*(typed for typed, _ in SAYS), "1", f"save {path}", "1\n"])
    done = play(*TOY, "--server", target, "--seats", "person,level:1", typed=typed)
    assert (done.code, done.err) == (0, "")
    for typed, words in SAYS:
        assert words in done.out, typed
    assert "seat 0 wins, " in done.out
    [record] = read_records(path.read_text().splitlines())
    assert record.seed is None


def test_every_kind_of_entry_has_a_text() -> None:
    kinds = {field.name for field in api.GameEntry.DESCRIPTOR.oneofs_by_name["what"].fields} - {"applied"}
    texts = {key.removeprefix("entry.") for key in patterns("terminal") if key.startswith("entry.")}
    assert texts == kinds


def test_a_game_that_was_left_is_continued(target: str) -> None:
    first = play(*TOY, "--server", target, "--seats", "person,person", typed="play 4\nundo\nplay 5\nquit\n")
    command = re.search(rf"To continue: clerestory play (--server {re.escape(target)} .+)", first.out)
    assert command is not None
    assert "taken back" in first.out
    second = play("--time", "20ms", *command[1].split(), typed="1\n" * 5)
    assert (second.code, second.err) == (0, "")
    assert "seat 0: play card 5 (play 5)" in second.out
    assert "To continue" not in second.out


@pytest.mark.system
def test_a_game_of_a_private_server_ends_with_it() -> None:
    left = ended("play", *TOY, "--server", "private", "--seats", "person,bot", typed="quit\n")
    assert (left.code, left.err) == (0, "")
    assert left.out.endswith("Left.\n")


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


def test_an_open_seat_is_taken_and_a_take_back_agreed_to(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Advisor(target) as advisor:
        game = advisor.games.create("toy", ["person", "open"], seed=7)
        prompted, back = Event(), []

        def play_elsewhere() -> None:
            until(lambda: game.look().seat == 0)
            game.play(game.look().legal[0])
            prompted.wait()
            until(lambda: game.look().ply == back[0])
            game.abandon()

        def answer(_: str) -> str:
            if back:
                return "y"
            back.append(game.look().ply - 1)
            game.take_back(back[0])
            prompted.set()
            return "fold"  # too late: the question has come in between

        monkeypatch.setattr("clerestory.cli.playing.typed_line", answer)
        other = Thread(target=play_elsewhere)
        other.start()
        done = play(game.game_id, "--server", target)
        other.join()
    assert (done.code, done.err) == (0, "")
    for words in ("the game now has version", "May the game go back to move 2?", "The game was abandoned."):
        assert words in done.out


def test_a_program_reads_along(target: str) -> None:
    done = play(*TOY, "--server", target, "--seats", "person,bot", "--json", typed="1\n1\n")
    lines = done.json_lines
    assert [line["version"] for line in lines if "version" in line] == list(range(1, len(lines)))
    assert lines[-1]["win_shares"]


def test_a_player_who_thinks_long_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs of life come while the terminal waits for a line, and are read only after it."""
    prompts, told, silent = list[str](), list[dict[str, Any]](), list[bool]()
    wait = scenes.set_within

    async def counted(*arguments: Any) -> bool:
        found = await wait(*arguments)
        silent.append(not found)
        return found

    def think(prompt: str) -> str:
        before = sum(silent)
        until(lambda: sum(silent) > before + 2)
        prompts.append(prompt)
        return "1"

    monkeypatch.setattr(scenes, "HEARTBEAT", 0.001)
    monkeypatch.setattr(scenes, "set_within", counted)
    monkeypatch.setattr("clerestory.cli.playing.typed_line", think)
    with running_server() as address, Advisor(address) as advisor:
        game = advisor.games.create("toy", ["person", "bot"], seed=4, time="10ms")
        session = Session(view_of(game.look()), [], advisor, Console(quiet=True), "10ms", 0, None, table=False)
        session.emit = told.append
        play_kept(KeptSession(game, session, address))
    assert [one["version"] for one in told if "version" in one] == [*range(1, game.version + 1)]
    assert [one["seat"] for one in told if "version" in one].count(0) == len(prompts)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seats", "person,chimp"], "seats[1]: 'chimp' is not person"),
        (["x" * 22], "is not a game of this server"),
        ([f"{'x' * 22}#0.{'y' * 43}"], "is not a game of this server"),
    ],
)
def test_wrong_input_is_one_line(target: str, arguments: list[str], words: str) -> None:
    done = play(*arguments, "--server", target)
    assert done.code == 2
    assert words in done.err
    assert done.err.count("\n") == 1
