"""The writer thread of an SQLite store: commits all pending jobs together, on a single connection."""

import asyncio
import logging
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeVar

from clerestory.server.games.bounds import ANSWER, CLOSING
from clerestory.server.games.store import Conflict, StoreDamaged, StoreError, StoreFull, failed
from clerestory.server.games.stores.schema import open_file
from clerestory.sizes import NO_ROOM

MAX_BATCH = 256  # maximum jobs in one transaction
MOST_WAITING = 10_000  # maximum pending jobs, more than the calls in progress can have, so most are abandoned
GONE = "the store is closed"
NO_SPACE = "there is no space to store it"
PIECE = 64 << 10  # bytes; a file that cannot grow by this counts as full
DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
VANISHED = "the file of games is gone, or another is in its place: put it back, or stop the server"
DAMAGED = "the file of games is damaged: stop the server, and restore a backup (docs/hosting.md#backup)"

logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(slots=True)
class QueuedWork:
    """A job for the connection, and the future for its result."""

    do: Callable[[sqlite3.Connection], Any]
    game_id: str = ""  # the game of the job
    done: Future[Any] = field(default_factory=Future)

    def answer(self, found: Any) -> None:
        """Set the result or the error, unless the future was cancelled."""
        with suppress(InvalidStateError):
            if isinstance(found, StoreError):
                self.done.set_exception(found)
            else:
                self.done.set_result(found)

    @property
    def found_damage(self) -> bool:
        """Whether it failed because the file is damaged. It must be done."""
        return not self.done.cancelled() and isinstance(self.done.exception(), StoreDamaged)


class Committer:
    """The only connection to a file, on a separate thread.

    Raises BadSettings for a file that cannot be opened, is in use by another server, or is not a store.
    """

    def __init__(self, file: str) -> None:
        self._jobs: queue.SimpleQueue[QueuedWork | None] = queue.SimpleQueue()
        self._ended = False
        self._failing = False  # whether the last transaction failed
        self._damaged = False  # whether the file is damaged, permanently, even if some pages are readable
        self._begun: float | None = None  # start of the current transaction
        opened: Future[None] = Future()
        self._thread = threading.Thread(target=self._work, args=(file, opened), name="store", daemon=True)
        self._thread.start()
        opened.result()

    @property
    def alive(self) -> bool:
        """Whether the store works and responds."""
        begun = self._begun
        silent = begun is not None and time.monotonic() > begun + ANSWER
        return not (self._ended or self._failing or self._damaged or silent)

    async def run(self, do: Callable[[sqlite3.Connection], T], game_id: str = "") -> T:
        """Return the result of a job once it is on disk. Raises StoreError, also after ANSWER seconds."""
        if self._jobs.qsize() >= MOST_WAITING:
            raise failed("too many jobs wait for it", game_id)
        job = QueuedWork(do, game_id)
        self._jobs.put(job)
        if self._ended:
            self._reject_all()
        try:
            async with asyncio.timeout(ANSWER):
                result: T = await asyncio.wrap_future(job.done)
        except TimeoutError:
            raise failed(f"no answer within {ANSWER:g} s", game_id) from None
        return result

    def run_at_once(self, do: Callable[[sqlite3.Connection], T]) -> T:
        """Return the result of a job, blocking the caller. Raises StoreError."""
        job = QueuedWork(do)
        self._jobs.put(job)
        result: T = job.done.result()
        return result

    async def close(self, within: float) -> None:
        """Finish pending jobs for at most `within` seconds, and reject the others."""
        await asyncio.to_thread(self.end, within)

    def end(self, within: float = CLOSING) -> None:
        """Do the same, blocking the caller."""
        self._jobs.put(None)
        self._thread.join(within)
        self._ended = True
        self._reject_all()

    def _work(self, file: str, opened: "Future[None]") -> None:
        try:
            connection = open_file(file)
        except BaseException as error:
            opened.set_exception(error)
            return
        opened.set_result(None)
        ours = inode_of(file)
        jobs: list[QueuedWork] = []
        try:
            while jobs := self._gather():
                self._begun = time.monotonic()
                self._failing = not (settle(connection, jobs) if inode_of(file) == ours else give_up(jobs))
                self._begun = None
                self._note_damage(jobs)
        finally:
            self._ended = True
            for job in jobs:
                job.answer(StoreError(GONE))
            self._reject_all()
            connection.close()

    def _note_damage(self, jobs: Sequence[QueuedWork]) -> None:
        if not self._damaged and any(job.found_damage for job in jobs):
            self._damaged = True
            logger.error(DAMAGED)

    def _gather(self) -> list[QueuedWork]:
        """Wait for jobs, and return all pending ones; [] once the store is closed."""
        jobs = [self._jobs.get()]
        while jobs[-1] is not None and len(jobs) < MAX_BATCH and not self._jobs.empty():
            jobs.append(self._jobs.get())
        if jobs[-1] is None and len(jobs) > 1:
            self._jobs.put(None)
        return [job for job in jobs if job is not None]

    def _reject_all(self) -> None:
        """Reject pending jobs after the thread has ended."""
        with suppress(queue.Empty):
            while True:
                job = self._jobs.get_nowait()
                if job is not None and job.done.set_running_or_notify_cancel():
                    job.answer(StoreError(GONE))


def inode_of(file: str) -> tuple[int, int] | None:
    """Return the device and inode of a file; None if there is none, and for a store in memory."""
    try:
        found = Path(file).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def give_up(jobs: Sequence[QueuedWork]) -> bool:
    """Reject jobs, because their data would be unreachable; return False: the store does not work."""
    for job in jobs:
        job.answer(StoreError(VANISHED))
    return False


def settle(connection: sqlite3.Connection, jobs: Sequence[QueuedWork]) -> bool:
    """Run jobs in one transaction, and report their results once it is on disk; return whether the store works.

    If the transaction fails, run each job in its own transaction, so that only the faulty ones fail.
    """
    jobs = [job for job in jobs if job.done.running() or job.done.set_running_or_notify_cancel()]
    try:
        connection.execute("BEGIN IMMEDIATE")
        found = [attempt(connection, job) for job in jobs]
        connection.execute("COMMIT")
    except Exception as error:
        undo(connection)
        if len(jobs) > 1:
            return False not in [settle(connection, [job]) for job in jobs]
        full = lacks_room(connection, error)
        failed = StoreFull(NO_SPACE) if full else store_error(error, jobs[0].game_id if jobs else "")
        found = [failed] * len(jobs)
        works = isinstance(failed, StoreFull)
    else:
        works = True
    for job, result in zip(jobs, found, strict=True):
        job.answer(result)
    return works


def undo(connection: sqlite3.Connection) -> None:
    """Roll back the current transaction, if there is one."""
    with suppress(sqlite3.Error):
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def attempt(connection: sqlite3.Connection, job: QueuedWork) -> Any:
    """Return the result of a job, or its error; an error undoes only that job, unless it ends the transaction."""
    connection.execute("SAVEPOINT job")
    try:
        return job.do(connection)
    except Exception as error:
        if not connection.in_transaction:
            raise
        connection.execute("ROLLBACK TO job")
        return store_error(error, job.game_id)
    finally:
        if connection.in_transaction:
            connection.execute("RELEASE job")


def lacks_room(connection: sqlite3.Connection, error: Exception) -> bool:
    """Return whether a write failed because of a disk quota or a limit on file size.

    SQLite reports these like a failing disk, so this writes a temporary file beyond the size of the store's largest
    one.
    """
    if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_IOERR_WRITE:
        return False
    _, _, name = connection.execute("PRAGMA database_list").fetchone()
    try:
        end = max(Path(f"{name}{suffix}").stat().st_size for suffix in ("", "-wal"))
        with TemporaryFile(dir=Path(name).parent) as other:
            return os.pwrite(other.fileno(), bytes(PIECE), end) < PIECE
    except OSError as problem:
        return problem.errno in NO_ROOM


def store_error(error: Exception, game_id: str) -> StoreError:
    """Return an error as a StoreError. Without an SQLite code, name only its type, as its text may quote data."""
    if isinstance(error, StoreError):
        return error
    if isinstance(error, sqlite3.IntegrityError):
        return Conflict(str(error))
    code = getattr(error, "sqlite_errorcode", None) or 0
    if code == sqlite3.SQLITE_FULL:
        return StoreFull(NO_SPACE)
    what = str(error) if code else type(error).__name__
    return failed(what, game_id, StoreDamaged if code & 0xFF in DAMAGE else StoreError)
