"""A nearly full disk."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parts import missing


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        missing("the right to mount a disk", "run as root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(folder: Path) -> Path:
    path = folder / "ballast"
    with path.open("ab", buffering=0) as file:
        try:
            while file.write(b"x" * 512):
                pass
        except OSError:
            return path
