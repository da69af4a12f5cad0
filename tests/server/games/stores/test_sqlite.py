"""A server's clock never goes back, and no call costs more because there are many games."""

import sqlite3
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clerestory.server.games.store import Batch, GameFilter, Key, Store, Summary
from clerestory.server.games.stores.sqlite import ForwardClock, SqliteStore
from tests.server.games.test_store import RUNNING, entries, named

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


async def test_a_clock_set_back_goes_on_after_the_latest_turn(clocks: SystemClocks, tmp_path: Path) -> None:
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


DUE = Summary("running", True, 5)
KEYS = [Key("token", 0), Key("request", request=True)]


async def calls(store: Store) -> None:
    await store.create(named("a"), Batch(entries(2), DUE, KEYS))
    await store.append("a", 2, Batch(entries(1), RUNNING, [Key("seat", 1)]), owned=True)
    await store.load("a")
    await store.later("a", 1)
    await store.find(["token", "request"])
    await store.own("a")
    await store.release("a")
    await store.keep_review("a", "plan", {1: b"one"})
    await store.reviewed("a", "plan")
    await store.touch(["a"], 7)


async def lists(store: Store) -> None:
    """Make the queries that read pages in the order of an index."""
    await store.select(GameFilter(9))
    await store.select(GameFilter(9, game="duel", status="open", before=(5, "a")))
    await store.select(GameFilter(9, tokens=("token", "other")))
    await store.due(9, 9, bots_only=False, skip=["a", "b"])
    await store.due(9, 9, bots_only=True, skip=["a", "b"])
    await store.delete_untouched(0, 9)


async def plans_of_sqlite(store: Any, ask: Any) -> list[str]:
    """Return the lines of the plans of what is asked."""
    statements: list[str] = []
    await store._ask(lambda connection: connection.set_trace_callback(statements.append))
    await ask(store)
    await store._ask(lambda connection: connection.set_trace_callback(None))
    plain = [text for text in statements if text.lstrip().startswith(("SELECT", "WITH", "UPDATE", "DELETE", "INSERT"))]

    def explain(connection: sqlite3.Connection) -> list[str]:
        return [row[3] for text in plain for row in connection.execute(f"EXPLAIN QUERY PLAN {text}")]

    found: list[str] = await store._ask(explain)
    return found


async def plans_of_postgres(store: Any, ask: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the lines of the plans of what is asked, where an index is used for what it can be used for."""
    import psycopg

    asked: list[tuple[Any, Any]] = []
    execute = psycopg.AsyncCursor.execute

    async def noted(self: Any, text: Any, values: Any = None, **more: Any) -> Any:
        asked.append((text, values))
        return await execute(self, text, values, **more)

    with monkeypatch.context() as patched:
        patched.setattr(psycopg.AsyncCursor, "execute", noted)
        await ask(store)

    async def explain(cursor: Any) -> list[str]:
        await cursor.execute("SET LOCAL enable_seqscan = off")
        lines: list[str] = []
        for text, values in asked:
            await cursor.execute(f"EXPLAIN {text}", values)
            lines += [line for (line,) in await cursor.fetchall()]
        return lines

    assert len(asked) > 5
    found: list[str] = await store._do(explain)
    return found


# Rows of the values of a statement, and those of an index in whose order the answer is.
HARMLESS = ("SCAN CONSTANT", "SCAN json_each", "SCAN turn", "SCAN game USING COVERING INDEX game_shown", "SCAN (")


@pytest.mark.parametrize("ask", [calls, lists])
async def test_every_statement_uses_an_index(store: Any, ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    await store.create(named("b"), Batch(entries(2), DUE, [Key("other")]))
    if isinstance(store, SqliteStore):
        lines = await plans_of_sqlite(store, ask)
        scans = [line for line in lines if line.startswith("SCAN") and not line.startswith(HARMLESS)]
    else:
        lines = await plans_of_postgres(store, ask, monkeypatch)
        scans = [line for line in lines if "Seq Scan on" in line and " on server" not in line]  # `server` has few rows
    assert len(lines) > 5
    assert not scans
