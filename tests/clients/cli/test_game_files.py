"""Records written during a game: after a kill, a take-back, on a full disk, after other records."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clerestory.cli.game_files import Recording, read_position
from clerestory.cli.options import BadOption
from clerestory.engine import GAMES, NATURE, BadPosition, Record, Rng, State, read_records
from tests.clients.cli.command import ended, run, started
from tests.position_forms import ACCEPTED, REFUSED, VIEW

TOY = ["--game", "toy", "--seed", "4", "--time", "20ms", "--seats", "person,person"]


def played(plies: int) -> State:
    state, rng = GAMES["toy"].new(2, 4), Rng(4)
    for _ in range(plies):
        state.play(state.draw(rng) if state.turn == NATURE else state.legal_codes()[0])
    return state


def on_disk(path: Path, *, begun: bool = True) -> list[list[str]]:
    return [
        [action.text for action in record.state.history]
        for record in read_records(path.read_text().splitlines(keepends=True), begun=begun)
    ]


def texts(state: State) -> list[str]:
    return [action.text for action in state.history]


def refused(text: str) -> None:
    raise AssertionError(text)


def test_every_ply_is_in_the_file_and_what_is_taken_back_is_not(tmp_path: Path) -> None:
    path, state = tmp_path / "game.jsonl", played(3)
    recording = Recording(path, Record(state, 4), refused)
    for _ in range(3):
        assert on_disk(path) == [texts(state)]
        state.play(state.draw(1) if state.turn == NATURE else state.legal_codes()[0])
        recording.follow(state)
    state.undo()
    state.undo()
    recording.follow(state)
    assert on_disk(path) == [texts(state)]
    recording.close(state)
    assert on_disk(path, begun=False) == [texts(state)]


@pytest.mark.parametrize("torn", [b"", b'{"ply": 4, "by": "sea'])
def test_a_record_goes_on_where_its_writer_was_killed(torn: bytes, tmp_path: Path) -> None:
    path, state = tmp_path / "game.jsonl", played(3)
    path.write_bytes("".join(f"{line}\n" for line in Record(state, 4).begun()).encode() + torn)
    recording = Recording(path, Record(state, 4), refused, goes_on=True)
    state.play(state.legal_codes()[0])
    recording.close(state)
    assert on_disk(path, begun=False) == [texts(state)]


@pytest.mark.parametrize("lost", [0, 1, 2], ids=["whole", "no end of its last line", "no last line"])
def test_a_file_keeps_the_games_that_it_holds(lost: int, tmp_path: Path) -> None:
    path, first, second = tmp_path / "games.jsonl", played(3), played(5)
    lines = [f"{line}\n" for line in Record(first, 4).lines()]
    path.write_text(("".join(lines), "".join(lines)[:-1], "".join(lines[:-1]))[lost])
    Recording(path, Record(second, 4), refused).close(second)
    assert on_disk(path, begun=False) == [texts(first), texts(second)]
    Recording(path, Record(second, 4), refused, goes_on=True).close(second)
    assert on_disk(path, begun=False) == [texts(first), texts(second)]


@pytest.mark.parametrize("text", ["Dear Prior,\nthe roof leaks.\n", "Dear Prior", "{}\n", '{"toy": 1'])
def test_a_file_that_is_not_a_record_stays_unchanged(text: str, tmp_path: Path) -> None:
    path = tmp_path / "letter"
    path.write_text(text)
    with pytest.raises(BadOption, match=r"--record: .*letter: contains something other"):
        Recording(path, Record(played(1), 4), refused)
    assert path.read_text() == text


def test_failed_writes_are_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, state, said = tmp_path / "game.jsonl", played(3), list[str]()
    recording = Recording(path, Record(state, 4), said.append)
    whole: Callable[[int, bytes], int] = os.write
    room = [10]

    def write(file: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(28, "No space left on device")
        part, room[0] = data[: room[0]], room[0] - len(data[: room[0]])
        return whole(file, part)

    monkeypatch.setattr(os, "write", write)
    for _ in range(2):
        state.play(state.draw(1) if state.turn == NATURE else state.legal_codes()[0])
        recording.follow(state)
    assert [line.split(":")[0] for line in said] == ["The game is not being recorded"]
    assert recording.failed
    assert on_disk(path) == [texts(state)[:3]]
    room[0] = 10_000
    recording.follow(state)
    assert [line.split(":")[0] for line in said] == [
        "The game is not being recorded",
        "The game is being recorded again",
    ]
    assert on_disk(path) == [texts(state)]


def test_a_full_disk_is_reported_at_once_and_the_game_goes_on() -> None:
    done = run("play", *TOY, "--record", "/dev/full", typed="1\n" * 40)
    assert (done.code, done.err) == (1, "clerestory: --record: /dev/full: the record of the game is incomplete\n")
    assert done.out.count("The game is not being recorded: ") == 1
    assert done.out.index("The game is not being recorded: ") < done.out.index(" wins, ")


def test_a_game_is_continued_from_its_own_record(tmp_path: Path) -> None:
    path, state = tmp_path / "game.jsonl", played(3)
    path.write_text("".join(f"{line}\n" for line in Record(state, 4).begun()))
    done = run("play", path, "--seats", "person,person", "--record", path, typed="1\n" * 40)
    assert (done.code, done.err) == (0, "")
    [after] = on_disk(path, begun=False)
    assert after[:3] == texts(state)
    assert " wins, " in done.out or "share the win" in done.out


@pytest.fixture
def heard_hangup() -> Iterator[None]:
    """Children may end by SIGHUP, even if nohup started the tests."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.system
@pytest.mark.usefixtures("heard_hangup")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM])
def test_an_answered_ply_survives(number: int, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with started("play", *TOY, "--record", path, "--json", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("play 4\n")
        process.stdin.flush()
        answered = list[str]()
        while not answered or answered[-1] != "play 4":
            answered.append(json.loads(process.stdout.readline())["action"])
        process.send_signal(number)
        process.wait()
    assert on_disk(path) == [answered]
    done = ended("play", path, "--seats", "person,person", "--record", path, typed="1\n" * 40)
    assert (done.code, done.err) == (0, "")
    [after] = on_disk(path, begun=False)
    assert after[: len(answered)] == answered


# -- positions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("written", ACCEPTED.values(), ids=ACCEPTED)
def test_every_form_of_a_file_is_read(written: str) -> None:
    assert read_position(written) == VIEW


@pytest.mark.parametrize(("written", "field"), REFUSED.values(), ids=REFUSED)
def test_other_forms_are_rejected_with_the_field(written: str, field: str) -> None:
    with pytest.raises(BadPosition) as caught:
        read_position(written)
    assert [one.field for one in caught.value.violations] == [field]
