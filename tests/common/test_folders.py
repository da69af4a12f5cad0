"""Folders for sockets: leftovers of a killed process are removed, and nothing else."""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from clerestory.folders import FRESH, PREFIX, socket_folder


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files with a short name, as sockets require."""
    with tempfile.TemporaryDirectory(prefix="pl-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


def made(place: Path, name: str) -> Path:
    folder = place / (PREFIX + name)
    folder.mkdir()
    return folder


def listening(folder: Path) -> socket.socket:
    """Return a socket that listens in a folder; once closed, its file remains like that of a killed process."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(f"{folder}/gateway")
    server.listen()
    return server


def aged(place: Path) -> None:
    for folder in place.iterdir():
        before = folder.stat().st_mtime - FRESH - 1
        os.utime(folder, (before, before), follow_symlinks=False)


def left(place: Path) -> set[str]:
    with socket_folder() as own:
        return {entry.name.removeprefix(PREFIX) for entry in place.iterdir()} - {Path(own).name.removeprefix(PREFIX)}


def test_folders_of_killed_and_of_ended_processes_are_removed(place: Path) -> None:
    listening(made(place, "killed")).close()
    aged(place)
    assert left(place) == set()
    with socket_folder() as folder:
        listening(Path(folder)).close()
    assert [*place.iterdir()] == []


def test_folders_that_may_be_in_use_stay(place: Path) -> None:
    with ExitStack() as open_ones:
        open_ones.enter_context(listening(made(place, "listens")))
        (made(place, "holds") / "games.sqlite").touch()
        (place / f"{PREFIX}file").touch()
        (place / "outside").mkdir()
        (place / f"{PREFIX}link").symlink_to(place / "outside")
        listening(place / "outside").close()
        made(place, "empty")
        aged(place)
        listening(made(place, "fresh")).close()
        assert left(place) == {"listens", "holds", "file", "outside", "link", "empty", "fresh"}
        assert all((place / name / "gateway").is_socket() for name in (f"{PREFIX}listens", "outside"))
