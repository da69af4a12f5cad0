"""Games on disk, one `.npz` file per chunk, with detection of truncated files.

Files are written atomically. Existing chunks are not played again: a killed run continues with the missing
chunks.
"""

import json
import os
import zipfile
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from clerestory.search.arena.pool import Crew, on_processes
from clerestory.search.training.columns import TYPES, Columns, count, shape_of
from clerestory.search.training.errors import BadData
from clerestory.search.training.selfplay import SelfPlay, play_games

GAMES_PER_CHUNK = 20


@dataclass(frozen=True, slots=True)
class ChunkTask:
    """A task: the games of one chunk.

    Attributes:
        plan: plan of the self-play games.
        number: number of the chunk; its first game is `number * GAMES_PER_CHUNK`.
    """

    plan: SelfPlay
    number: int

    def play(self, stopped: Callable[[], bool] = lambda: False) -> list[tuple[int, Columns]]:
        """Return the number of the chunk and the stored data of its games; nothing if stopped."""
        first = self.number * GAMES_PER_CHUNK
        columns = play_games(self.plan, range(first, first + GAMES_PER_CHUNK), stopped)
        return [] if columns is None else [(self.number, columns)]

    def header(self) -> dict[str, Any]:
        """Return everything that the games depend on."""
        return self.plan.header()


def play_chunks(
    plan: SelfPlay, folder: Path, chunks: int, *, workers: int, crew: Crew = on_processes
) -> Generator[int, None, None]:
    """Play the chunks that are missing in the folder, and yield the number of each once it is stored.

    Raises BadData if the stored chunks were played under another plan, OSError if one cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    header = plan.header()
    require_alike(folder, chunks, header)
    with crew(workers) as run:
        for played in run(missing(plan, folder, chunks)):
            for number, columns in played:
                write_chunk(path_of(folder, number), header, columns)
                yield number


def path_of(folder: Path, number: int) -> Path:
    """Return the path of a chunk."""
    return folder / f"{number:05}.npz"


def stored(folder: Path, chunks: int) -> int:
    """Return the number of chunks in the folder."""
    return sum(path_of(folder, number).exists() for number in range(chunks))


def require_alike(folder: Path, chunks: int, header: dict[str, Any]) -> None:
    """Raise BadData if chunks are missing and a stored one has another header."""
    there = [path for path in (path_of(folder, number) for number in range(chunks)) if path.exists()]
    if there and len(there) < chunks:
        require_header(there[0], read_header(there[0], read_arrays(there[0])), header)


def missing(plan: SelfPlay, folder: Path, chunks: int) -> Iterator[ChunkTask]:
    """Yield the missing chunks one at a time: other processes may play into the same folder."""
    return (ChunkTask(plan, number) for number in range(chunks) if not path_of(folder, number).exists())


# -- files -----------------------------------------------------------------------------------------


def write_chunk(path: Path, header: dict[str, Any], columns: Columns) -> None:
    """Write a chunk atomically. Raises OSError, which names the file."""
    write_whole(path, with_header(header, columns))


def with_header(header: dict[str, Any], arrays: Columns) -> Columns:
    """Return arrays preceded by a JSON header."""
    return {"header": np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays}


def write_whole(path: Path, arrays: Columns) -> None:
    """Write arrays by name, compressed, atomically. Raises OSError, which names the file."""
    write_file(path, lambda file: np.savez_compressed(file, **arrays))  # type: ignore[arg-type]  # names are ours


def write_file(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file under a temporary name, then rename it. Raises OSError, which names the file."""
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        part.unlink(missing_ok=True)


def read_chunk(path: Path, header: dict[str, Any]) -> Columns:
    """Return the data of a chunk. Raises BadData if it is damaged, or has another header."""
    arrays = read_arrays(path)
    require_header(path, read_header(path, arrays), header)
    columns = {name: require_column(path, arrays, name) for name in TYPES}
    tables = {name: count(columns, name.partition(".")[0]) for name in TYPES}
    for name, column in columns.items():
        if column.shape != shape_of(name, tables[name], header["seats"], header["state_bytes"]):
            raise BadData(path, f"{name} has the shape {column.shape}")
    return columns


def read_arrays(path: Path) -> Columns:
    """Return the arrays of a file. Raises BadData."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except FileNotFoundError:
        raise BadData(path, "is not there") from None
    except (ValueError, EOFError, zipfile.BadZipFile, OSError, AttributeError) as error:
        raise BadData(path, f"is damaged ({error}); delete it, and it will be made again") from None


def read_header(path: Path, arrays: Columns) -> dict[str, Any]:
    """Return the header. Raises BadData."""
    try:
        header = json.loads(arrays["header"].tobytes())
    except (KeyError, ValueError):
        header = None
    if not isinstance(header, dict):
        raise BadData(path, "has no header")
    return header


def require_header(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Raise BadData, which names the first field that differs."""
    for name, value in wanted.items():
        if found.get(name) != value:
            raise BadData(path, f"{name} is {found.get(name)!r} there, {value!r} here")


def require_column(path: Path, arrays: Columns, name: str) -> np.ndarray[Any, Any]:
    """Return a column. Raises BadData if it is missing or of another type."""
    if name not in arrays or arrays[name].dtype != TYPES[name]:
        raise BadData(path, f"has no {name} of type {np.dtype(TYPES[name])}")
    return arrays[name]


def read_games(plan: SelfPlay, folder: Path) -> list[Columns]:
    """Return every chunk in the folder, in order, regardless of the search that played it.

    Raises BadData for a chunk that is missing or damaged, or of another game, catalogue, generation or seed.
    """
    header, chunks = plan.source(), count_chunks(folder)
    paths = [path_of(folder, number) for number in range(chunks)]
    for path in paths:
        if not path.exists():
            games = chunks * GAMES_PER_CHUNK
            raise BadData(path, f"is not there; play {games} games or more, or delete the files after it")
    return [read_chunk(path, header) for path in paths]


def count_chunks(folder: Path) -> int:
    """Return the expected number of chunks according to the last stored one, at least one."""
    return max((int(path.stem) for path in folder.glob("*.npz") if path.stem.isdecimal()), default=0) + 1
