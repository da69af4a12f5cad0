"""Games on disk: bit-identical however they were played, none lost by a kill, damage reported."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from clerestory.search.arena.pool import Crew, on_processes
from clerestory.search.training.chunks import path_of, play_chunks, read_chunk, read_games, stored, write_chunk
from clerestory.search.training.errors import BadData
from clerestory.search.training.selfplay import Habits, SelfPlay
from tests.room import files_of_at_most
from tests.search.arena.matches import inline, toy

PLAN = SelfPlay(toy, 2, generation=0, seed=7, habits=Habits(quick=4, full=10, least_visits=5))


def play(folder: Path, chunks: int, crew: Crew = on_processes) -> list[int]:
    return list(play_chunks(PLAN, folder, chunks, workers=1, crew=crew))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    play(folder, 3)
    return folder


def test_the_order_in_which_chunks_are_played_changes_nothing(whole: Path, tmp_path: Path) -> None:
    assert sorted(play(tmp_path, 3, inline)) == [0, 1, 2]
    assert contents(tmp_path) == contents(whole)


def test_a_killed_run_goes_on(whole: Path, tmp_path: Path) -> None:
    games = play_chunks(PLAN, tmp_path, 3, workers=1)
    next(games)
    games.close()
    (tmp_path / "00001.77.part").write_bytes(b"torn")  # left by a kill while writing a chunk
    assert stored(tmp_path, 3) == 1
    assert play(tmp_path, 3) == [1, 2]
    (tmp_path / "00001.77.part").unlink()
    assert contents(tmp_path) == contents(whole)


def test_what_is_read_is_what_was_played(whole: Path) -> None:
    chunks = read_games(PLAN, whole)
    assert [len(chunk["game.seed"]) for chunk in chunks] == [20, 20, 20]
    assert [int(seed) for chunk in chunks for seed in chunk["game.seed"]] == [PLAN.seed_of(n) for n in range(60)]


# -- errors ----------------------------------------------------------------------------------------


def flipped(whole: Path) -> bytes:
    content = bytearray(path_of(whole, 0).read_bytes())
    with zipfile.ZipFile(path_of(whole, 0)) as parts:
        largest = max(parts.infolist(), key=lambda part: part.compress_size)
    content[largest.header_offset + largest.compress_size // 2] ^= 1
    return bytes(content)


@pytest.mark.parametrize("kept", [0, 1, 100, 3000, -1, -30, None], ids=str)
def test_a_damaged_chunk_is_named(kept: int | None, whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "00000.npz"
    path.write_bytes(flipped(whole) if kept is None else path_of(whole, 0).read_bytes()[:kept])
    with pytest.raises(BadData, match=r"00000\.npz: is damaged"):
        read_chunk(path, PLAN.header())


@pytest.mark.parametrize("there", [(), (1,), (0, 2)])
def test_a_chunk_that_is_not_there_is_named(there: tuple[int, ...], whole: Path, tmp_path: Path) -> None:
    for number in there:
        path_of(tmp_path, number).write_bytes(path_of(whole, number).read_bytes())
    games = 20 * (1 + max(there, default=0))
    with pytest.raises(BadData, match=rf"0000[01]\.npz: is not there; play {games} games or more, or delete"):
        read_games(PLAN, tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [("game", "chess"), ("catalogue", "other"), ("rules_revision", 9), ("seats", 3), ("generation", 1), ("seed", 8)],
)
def test_another_plans_chunk_is_rejected(name: str, value: object, whole: Path) -> None:
    with pytest.raises(BadData, match=f"{name} is .* there, {value!r} here"):
        read_chunk(path_of(whole, 0), {**PLAN.header(), name: value})


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"game.scores": np.zeros((20, 3), np.float32)}, "game.scores has the shape"),
        ({"line.visits": np.zeros(3, np.float64)}, "no line.visits of type int32"),
        ({"header": np.frombuffer(b"[]", np.uint8)}, "no header"),
        ({"header": np.frombuffer(b"{", np.uint8)}, "no header"),
    ],
)
def test_wrong_columns_are_named(change: dict[str, np.ndarray], named: str, whole: Path, tmp_path: Path) -> None:
    header = PLAN.header()
    columns = {**read_chunk(path_of(whole, 0), header), "header": np.frombuffer(json.dumps(header).encode(), np.uint8)}
    path = tmp_path / "00000.npz"
    np.savez(path, **{**columns, **change})
    with pytest.raises(BadData, match=named):
        read_chunk(path, header)


def test_a_full_disk_leaves_nothing_half_written(whole: Path, tmp_path: Path) -> None:
    columns = read_chunk(path_of(whole, 0), PLAN.header())
    path = tmp_path / "00000.npz"
    with files_of_at_most(1024), pytest.raises(OSError, match=r"00000\.npz"):
        write_chunk(path, PLAN.header(), columns)
    assert list(tmp_path.iterdir()) == []
