"""Made-up samples: states of 8 bytes that determine their features, points and results."""

from typing import Any

import numpy as np

from clerestory.search.training.samples import Lines, PositionRows, Samples

Array = np.ndarray[Any, Any]
OWN, TABLE = 3, 2


def encode(states: Array) -> tuple[Array, Array, Array]:
    """Return features of up to four seats, two bytes each; the last byte of a row is the number of seats minus 2."""
    seats = seats_of(states)
    numbers = states.astype(np.float64) / 255
    own = np.stack(
        [np.stack([numbers[:, seat], numbers[:, 4 + seat], numbers[:, seat] ** 2], -1) for seat in range(seats)], 1
    )
    return own, numbers[:, [3, 7]], own[..., 0] * 5


def seats_of(states: Array) -> int:
    return 2 + int(states[0, -1]) % 3


def samples(seats: int, rows: int, seed: int) -> Samples:
    luck = np.random.default_rng(seed)
    state = luck.integers(0, 256, (rows, 9), dtype=np.uint8)
    state[:, -1] = seats - 2
    own, table, points = encode(state)
    worth = 8 * own[..., 1] - 4 * own[..., 0] + 3 * table[:, :1]
    scores = points + worth + luck.normal(0, 1, worth.shape)
    seat = luck.integers(0, seats, rows)
    raised = np.exp((points + worth) / 3)
    returns = np.eye(seats)[scores.argmax(axis=1)]
    true = points + worth
    lead = true[np.arange(rows), seat] - (true.sum(axis=1) - true[np.arange(rows), seat]) / (seats - 1)
    positions = PositionRows(
        state, seat, luck.integers(1, 4, rows), scores, returns, lead, raised / raised.sum(axis=1, keepdims=True)
    )
    others = true.copy()
    others[np.arange(rows), seat] = -np.inf
    margin = true[np.arange(rows), seat] - others.max(axis=1)
    lines = Lines(state, seat, np.arange(rows) // 3, luck.uniform(0.1, 1, rows), margin, margin / 3)
    return Samples(positions, lines)
