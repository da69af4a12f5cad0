"""The store of a single server: a log in SQLite, one connection on one thread, with group commit.

The connection is in exclusive mode: a second server on the same file is refused, and the bug of SQLite up to 3.51.2
in which two connections can corrupt a WAL cannot occur.
"""

import asyncio
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from clerestory.server.config import MEMORY, USER, BadSettings
from clerestory.server.games.log import Entry, EntryKind, Head
from clerestory.server.games.schema import open_file
from clerestory.server.games.store import (
    DAY,
    Batch,
    Conflict,
    GameFilter,
    GameLog,
    Listener,
    StoreError,
    StoreFull,
    query,
)

AT_ONCE = 256  # most jobs in one transaction

T = TypeVar("T")


@dataclass(slots=True)
class Transaction:
    """Work to be done on the connection, and the future that waits for it."""

    do: Callable[[sqlite3.Connection], Any]
    done: Future[Any] = field(default_factory=Future)


class SqliteStore:
    """A store in a file; `user:` is a file in the user's data folder, `memory:` is no file.

    Raises BadSettings for a file that cannot be opened, is in use by another server, or is not a store.
    """

    shared = False

    def __init__(self, path: str) -> None:
        self._jobs: queue.SimpleQueue[Transaction | None] = queue.SimpleQueue()
        opened: Future[sqlite3.Connection] = Future()
        file = ":memory:" if path == MEMORY else str(user_file()) if path == USER else path
        self._thread = threading.Thread(target=self._work, args=(file, opened), name="store", daemon=True)
        self._thread.start()
        self._connection = opened.result()
        first = Transaction(read_facts)
        self._jobs.put(first)
        self.secret, self.unfinished = first.done.result()

    # -- methods of Store ------------------------------------------------------------------------------

    async def create(self, head: Head, batch: Batch) -> None:
        """Keep a new game."""
        summary = batch.summary
        row = (head.game_id, head.game, head.created, head.to_json(), summary.status, summary.shown, summary.due)

        def do(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO game VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            insert(connection, head.game_id, 0, batch)

        await self._ask(do)

    async def append(
        self,
        game_id: str,
        number: int,
        batch: Batch,
        *,
        owned: bool = False,  # noqa: ARG002  # this server owns all games of its store
    ) -> None:
        """Add entries."""
        summary = batch.summary
        row = (summary.status, summary.shown, summary.due, game_id)

        def do(connection: sqlite3.Connection) -> None:
            insert(connection, game_id, number, batch)
            connection.execute("UPDATE game SET status = ?, shown = ?, due = ? WHERE id = ?", row)

        await self._ask(do)

    async def load(self, game_id: str) -> GameLog | None:
        """Return a game."""
        return await self._ask(lambda connection: read_game(connection, game_id))

    async def later(self, game_id: str, number: int) -> list[Entry]:
        """Return entries."""
        return await self._ask(lambda connection: read_entries(connection, game_id, number))

    async def select(self, wanted: GameFilter) -> list[tuple[str, int]]:
        """Return games."""
        text, values = query(wanted)
        return await self._ask(lambda connection: connection.execute(text, values).fetchall())

    async def find(self, digests: Sequence[str]) -> dict[str, tuple[str, int | None]]:
        """Return keys."""
        marks = ", ".join("?" * len(digests))
        text = f"SELECT digest, game, seat FROM key WHERE digest IN ({marks})"
        rows = await self._ask(lambda connection: connection.execute(text, digests).fetchall())
        return {digest: (game, seat) for digest, game, seat in rows}

    async def count_unfinished(self) -> Mapping[str, int]:
        """Return the numbers of games that have not ended."""
        return await self._ask(read_unfinished)

    async def own(self, game_id: str) -> bool:  # noqa: ARG002
        """Every game is this server's."""
        return True

    async def adopt(self, most: int) -> list[str]:
        """Return the games in which this server has to move."""
        return [game_id for game_id, _ in await self.select(GameFilter(limit=most, due=True))]

    def listen(self, heard: Listener) -> None:
        """There are no others."""

    async def reviewed(self, game_id: str, plan: str) -> dict[int, bytes]:
        """Return the stored part of a review."""
        text = "SELECT ply, message FROM review WHERE game = ? AND plan = ?"
        return dict(await self._ask(lambda connection: connection.execute(text, (game_id, plan)).fetchall()))

    async def keep_review(self, game_id: str, plan: str, plies: Mapping[int, bytes]) -> None:
        """Store plies of a review."""
        rows = [(game_id, plan, ply, message) for ply, message in plies.items()]
        text = "INSERT OR IGNORE INTO review VALUES (?, ?, ?, ?)"
        await self._ask(lambda connection: connection.executemany(text, rows) and None)

    async def close(self) -> None:
        """Finish what was begun."""
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)

    # -- the thread --------------------------------------------------------------------------------

    async def _ask(self, do: Callable[[sqlite3.Connection], T]) -> T:
        job = Transaction(do)
        self._jobs.put(job)
        result: T = await asyncio.wrap_future(job.done)
        return result

    def _work(self, path: str, opened: "Future[sqlite3.Connection]") -> None:
        try:
            connection = open_file(path)
        except BadSettings as error:
            opened.set_exception(error)
            return
        opened.set_result(connection)
        while jobs := self._gather():
            settle(connection, jobs)
        connection.close()

    def _gather(self) -> list[Transaction]:
        """Wait for jobs, and return all that are pending; none once the store is closed."""
        jobs = [self._jobs.get()]
        while jobs[-1] is not None and len(jobs) < AT_ONCE and not self._jobs.empty():
            jobs.append(self._jobs.get())
        if jobs[-1] is None and len(jobs) > 1:
            self._jobs.put(None)
        return [job for job in jobs if job is not None]


def settle(connection: sqlite3.Connection, jobs: Sequence[Transaction]) -> None:
    """Run jobs in one transaction, and report their results once it is on disk."""
    jobs = [job for job in jobs if job.done.set_running_or_notify_cancel()]
    try:
        connection.execute("BEGIN IMMEDIATE")
        results = [attempt(connection, job) for job in jobs]
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        for job in jobs:
            job.done.set_exception(store_error(error))
        return
    for job, result in zip(jobs, results, strict=True):
        if isinstance(result, Conflict):
            job.done.set_exception(result)
        else:
            job.done.set_result(result)


def attempt(connection: sqlite3.Connection, job: Transaction) -> Any:
    """Return the result of a job; a conflict rolls back only that job."""
    connection.execute("SAVEPOINT job")
    try:
        return job.do(connection)
    except sqlite3.IntegrityError as error:
        connection.execute("ROLLBACK TO job")
        return Conflict(str(error))
    finally:
        if connection.in_transaction:
            connection.execute("RELEASE job")


def store_error(error: sqlite3.Error) -> StoreError:
    """Return an error of SQLite as one of ours."""
    full = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return StoreFull("there is no space to store it") if full else StoreError(f"the store failed: {error}")


# -- rows ------------------------------------------------------------------------------------------


def read_facts(connection: sqlite3.Connection) -> tuple[bytes, dict[str, int]]:
    """Return the store's secret and the numbers of unfinished games by maker; delete expired request names."""
    past = int(1000 * time.time()) - DAY
    connection.execute("DELETE FROM key WHERE request AND moment < ?", (past,))
    (secret,) = connection.execute("SELECT secret FROM store").fetchone()
    return secret, read_unfinished(connection)


def read_unfinished(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the numbers of games that have not ended, by maker."""
    text = "SELECT coalesce(json_extract(head, '$.maker'), ''), count(*) FROM game WHERE status <> 'over' GROUP BY 1"
    return dict(connection.execute(text).fetchall())


def read_game(connection: sqlite3.Connection, game_id: str) -> GameLog | None:
    """Return a game, None if there is none."""
    row = connection.execute("SELECT head FROM game WHERE id = ?", (game_id,)).fetchone()
    if row is None:
        return None
    return Head.from_json(row[0]), read_entries(connection, game_id)


def read_entries(connection: sqlite3.Connection, game_id: str, number: int = 0) -> list[Entry]:
    """Return the entries of a game from a number on."""
    text = "SELECT kind, seat, text, moment FROM entry WHERE game = ? AND number >= ? ORDER BY number"
    rows = connection.execute(text, (game_id, number)).fetchall()
    return [Entry(EntryKind(kind), *rest) for kind, *rest in rows]


def insert(connection: sqlite3.Connection, game_id: str, number: int, batch: Batch) -> None:
    """Add entries, the first with this number, and the keys of the game."""
    now = int(1000 * time.time())
    entries = [(game_id, number + i, one.kind, one.seat, one.text, one.moment) for i, one in enumerate(batch.entries)]
    connection.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)", entries)
    keys = [(key.digest, game_id, key.seat, key.request, now) for key in batch.keys]
    connection.executemany("INSERT INTO key VALUES (?, ?, ?, ?, ?)", keys)


def user_file() -> Path:
    """Return the default file of a user's games (XDG Base Directory Specification 0.8)."""
    data = os.environ.get("XDG_DATA_HOME", "")
    return (Path(data) if data.startswith("/") else Path.home() / ".local" / "share") / "clerestory" / "games.sqlite"
