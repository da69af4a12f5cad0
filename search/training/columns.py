"""The stored data of games: four tables of NumPy columns, whose rows refer to rows of other tables.

    game      seed (uint64), scores and returns (float32, by seat)
    position  every decision with a choice: game (its row), state (uint8, the memory of the deciding seat's view), seat,
              round (int16), iterations (int32), and for the root the mean margin of the seat (float32, points) and the
              mean win shares (float32, by seat)
    line      every action of a full search: position (its row), action (uint16, its code), visits (int32), margin
              (float32, points, of the seat to decide) and shares (float32, by seat); zeros if it was not visited
    after     the state at the next decision after a well-visited line: line (its row), state (uint8, as above)

States are stored as bytes, so that features can change without replaying games.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Columns = dict[str, Array]

POINTS_TO = {"position.game": "game", "line.position": "position", "after.line": "line"}
FIRST = {"game": "game.seed", "position": "position.seat", "line": "line.action", "after": "after.line"}
TYPES = {
    "game.seed": np.uint64,
    "game.scores": np.float32,
    "game.returns": np.float32,
    "position.game": np.int32,
    "position.state": np.uint8,
    "position.seat": np.int16,
    "position.round": np.int16,
    "position.iterations": np.int32,
    "position.margin": np.float32,
    "position.shares": np.float32,
    "line.position": np.int32,
    "line.action": np.uint16,
    "line.visits": np.int32,
    "line.margin": np.float32,
    "line.shares": np.float32,
    "after.line": np.int32,
    "after.state": np.uint8,
}
BY_SEAT = ("game.scores", "game.returns", "position.shares", "line.shares")
BY_BYTE = ("position.state", "after.state")


def shape_of(name: str, rows: int, seats: int, state_bytes: int) -> tuple[int, ...]:
    """Return the shape of a column."""
    if name in BY_SEAT:
        return rows, seats
    return (rows, state_bytes) if name in BY_BYTE else (rows,)


def columns_of(rows: Mapping[str, Sequence[Any]], seats: int, state_bytes: int) -> Columns:
    """Return lists of values by name as columns; states are given as `bytes`."""
    columns = {}
    for name, kind in TYPES.items():
        values = rows[name]
        flat = np.frombuffer(b"".join(values), np.uint8) if name in BY_BYTE else np.array(values, kind)
        columns[name] = flat.reshape(shape_of(name, len(values), seats, state_bytes))
    return columns


def count(columns: Columns, table: str) -> int:
    """Return the number of rows of a table."""
    return len(columns[FIRST[table]])


def join(parts: Sequence[Columns]) -> Columns:
    """Return the tables concatenated, with row references adjusted; there must be at least one part."""
    joined = {}
    for name in TYPES:
        columns = [part[name] for part in parts]
        if name in POINTS_TO:
            starts = np.cumsum([0, *(count(part, POINTS_TO[name]) for part in parts[:-1])])
            columns = [column + np.int32(start) for column, start in zip(columns, starts, strict=True)]
        joined[name] = np.concatenate(columns)
    return joined
