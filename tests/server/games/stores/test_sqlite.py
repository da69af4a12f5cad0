"""A server's clock follows the system's forward, and never goes back."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from clerestory.server.games.store import Batch, Summary
from clerestory.server.games.stores.sqlite import ForwardClock, SqliteStore
from tests.server.games.test_store import entries, named

HOUR = 3_600_000


class SystemClocks:
    """The two system clocks in milliseconds: the wall clock, which can be set, and the monotonic clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wall, self.steady = 1_000 * HOUR, 0
        monkeypatch.setattr(time, "time", lambda: self.wall / 1000)
        monkeypatch.setattr(time, "monotonic", lambda: self.steady / 1000)

    def wait(self, milliseconds: int) -> None:
        self.wall += milliseconds
        self.steady += milliseconds


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> SystemClocks:
    return SystemClocks(monkeypatch)


def test_a_clock_that_is_set_back_loses_no_time(clocks: SystemClocks) -> None:
    clock, began = ForwardClock(), clocks.wall
    for passed, by, ahead in [(5, 0, 0), (7, -2 * HOUR, 2 * HOUR), (9, HOUR, HOUR), (11, 2 * HOUR, 0)]:
        clocks.wall += by
        clocks.wait(passed)
        assert clock.now() == clocks.wall + ahead
    assert clock.now() == began + HOUR + 5 + 7 + 9 + 11


async def test_a_server_whose_clock_was_set_back_goes_on_after_the_latest_turn(
    clocks: SystemClocks, tmp_path: Path
) -> None:
    """But not after the last move of games without a due turn."""
    first = SqliteStore(str(tmp_path / "games.db"))
    for game_id, due, count in [("a", clocks.wall + 20_000, 3), ("b", clocks.wall, 2), ("c", None, 9)]:
        stored = [replace(entry, moment=clocks.wall + entry.moment) for entry in entries(count)]
        await first.create(named(game_id), Batch(stored, Summary("running", False, due)))
    await first.close()
    clocks.wall -= 2 * HOUR
    again = SqliteStore(str(tmp_path / "games.db"))
    assert again.now() == clocks.wall + 2 * HOUR + 2
    await again.close()
