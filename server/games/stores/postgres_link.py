"""A PostgreSQL connection pool in which every wait has a limit, even if the database does not respond."""

import asyncio
import logging
import os
import re
import select
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, LiteralString, Self, TypeVar
from urllib.parse import unquote
from weakref import WeakValueDictionary

import psycopg
from psycopg import conninfo, errors
from psycopg.adapt import Loader

from clerestory.declared import BadSettings, Unreachable
from clerestory.server.games.store import Conflict, StoreError, StoreFull, Unreadable, failed
from clerestory.server.games.stores.reading import NO_TEXT

CONNECTIONS = 8  # for games; the heartbeat has a separate one
CONNECT = 3.0  # seconds to connect, and again to set up the connection
PATIENCE = 4.0  # seconds to wait for a connection, and for other jobs of the same game
WORK = 6.0  # seconds for one job
LOCKED = 4.0  # seconds to wait for locks of other sessions
LOCK: LiteralString = "100"  # milliseconds of one attempt
IDLE: LiteralString = "4"  # seconds between two statements, so that a suspended server does not keep a game locked
SOONEST, LATEST = 0.05, 0.5  # seconds between attempts, growing
SESSION: LiteralString = f"""
    SELECT set_config('statement_timeout', '5s', FALSE), set_config('lock_timeout', '{LOCK}ms', FALSE),
        set_config('idle_in_transaction_session_timeout', '{IDLE}s', FALSE)
"""
# Parameters in the URL take precedence. TCP detects a dead network within 8 s; our limits detect an unresponsive one.
OURS = {
    "connect_timeout": 2,  # seconds per address of a name
    "keepalives_idle": 4,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "tcp_user_timeout": 8000,
    "application_name": "clerestory",
}
BAD_ADDRESS = (
    "the address is not postgresql://USER@HOST:PORT/DATABASE; in a password, write every character but letters and "
    "digits as % and two hexadecimal digits"
)
POOLED = (
    "the address leads to a pool that changes sessions between statements, such as PgBouncer with "
    "pool_mode=transaction, in which servers hear no news of each other's games; give the address of the database "
    "itself, or of a pool with pool_mode=session"
)
POOL_LOOKS = 4  # checks of the session behind each of two connections
NO_RIGHTS = "; let its role own the database, as after createdb --owner ROLE DATABASE, and the tables that are there"

DAMAGE = (UnicodeDecodeError, errors.DataCorrupted, errors.IndexCorrupted)  # in rows

PARTS = re.compile(r"[:/@?&=,\[\]\s]+")  # separators between the parts of a URL

T = TypeVar("T")
# A job that loses its connection, or is cancelled, raises the cause. That its rollback or the cancellation of its query
# failed too is not worth a log line: the connection is closed.
logging.getLogger("psycopg").setLevel(logging.ERROR)

PgConnection = psycopg.AsyncConnection[Any]
Cursor = psycopg.AsyncCursor[Any]


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a database. Do not log it, because it may contain a password.

    Attributes:
        url: as given.
        full: the connection string for psycopg, with our limits.
    """

    url: str = field(repr=False)
    full: str = field(repr=False)

    @classmethod
    def read(cls, url: str) -> Self:
        """Return an address from its text. Raises BadSettings."""
        try:
            values: dict[str, Any] = {**OURS, **conninfo.conninfo_to_dict(url)}
            return cls(url, conninfo.make_conninfo("", **values))
        except (psycopg.Error, UnicodeError):
            raise BadSettings(f"store: PostgreSQL cannot be opened: {BAD_ADDRESS}") from None

    def hidden_in(self, text: str) -> str:
        """Return the first line of a text with all parts of the address masked, because they may include a password."""
        parts = {part for url in (self.url, unquote(self.url)) for part in PARTS.split(url) if part}
        line = text.partition("\n")[0].removesuffix(" FATAL")
        for part in sorted(parts - {"postgresql", "postgres"}, key=len, reverse=True):
            line = re.sub(rf"(?<!\w){re.escape(part)}(?!\w)", "...", line)
        return line


async def connect(address: Address) -> PgConnection:
    """Return a new connection without a transaction. Raises psycopg.Error, TimeoutError."""
    try:
        async with asyncio.timeout(CONNECT):
            connection = await psycopg.AsyncConnection.connect(address.full, autocommit=True)
    except psycopg.Error as error:
        error.__context__ = None  # its frames form a reference cycle that keeps the socket open
        raise error.with_traceback(None) from None
    try:
        with limited(connection, CONNECT):
            await connection.execute(SESSION)
    except BaseException:
        await connection.close()
        raise
    return connection


async def require_sessions(address: Address) -> None:
    """Raise BadSettings unless each connection has a separate session. Raises psycopg.Error, TimeoutError."""
    async with await connect(address) as one, await connect(address) as other:
        with limited(one, CONNECT), limited(other, CONNECT):
            looks = [(await session_of(one), await session_of(other)) for _ in range(POOL_LOOKS)]
    if len({*looks}) > 1 or looks[0][0] == looks[0][1]:
        raise BadSettings(f"store: PostgreSQL cannot be opened: {POOLED}")


async def session_of(connection: PgConnection) -> int:
    """Return the process ID of the database session behind a connection."""
    [number] = await (await connection.execute("SELECT pg_backend_pid()", prepare=False)).fetchone() or [0]
    return int(number)


@contextmanager
def limited(connection: PgConnection, seconds: float) -> Iterator[None]:
    """Shut down a connection after a number of seconds, so that a pending operation fails.

    Cancelling is not enough, because psycopg would then wait for the database to cancel.
    """
    timer = asyncio.get_running_loop().call_later(seconds, cut, connection)
    try:
        yield
    finally:
        timer.cancel()


def cut(connection: PgConnection) -> None:
    """Shut down both directions of a connection."""
    with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.pgconn.socket)) as end:
        end.shutdown(socket.SHUT_RDWR)


def usable(connection: PgConnection) -> bool:
    """Return whether an idle connection is still open; any readable data means that it has ended."""
    if connection.closed:
        return False
    poll = select.poll()
    poll.register(connection.pgconn.socket, select.POLLIN)
    return not poll.poll(0)


class OddText(Loader):
    """Loads text that is not valid UTF-8 with replacement characters, because a damaged disk can produce such text."""

    def load(self, data: Any) -> str:
        """Return the text of some bytes."""
        return bytes(data).decode(errors="replace")


@asynccontextmanager
async def cursor_of(connection: PgConnection, game_id: str) -> AsyncIterator[Cursor]:
    """Yield a cursor for a job. If it concerns many games, one damaged row must not make the others unreadable."""
    async with connection.cursor() as cursor:
        if not game_id:
            cursor.adapters.register_loader("text", OddText)
        yield cursor


class Pool:
    """A connection pool for jobs, which connects on demand, so that it uses a recovered database immediately."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._places = asyncio.Semaphore(CONNECTIONS)
        self._idle: list[PgConnection] = []
        self._busy: set[PgConnection] = set()
        self._spent: set[PgConnection] = set()
        self._games: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._closed = False

    async def run(self, do: Callable[[Cursor], Awaitable[T]], game_id: str = "", *, whole: bool = True) -> T:
        """Return the result of a job.

        Args:
            do: the job.
            game_id: the game that it concerns, "" for many; jobs of one game run one at a time, so that they cannot
                occupy all connections.
            whole: whether it is a transaction; otherwise it is a single statement.

        Raises StoreError, at the latest after the sum of the limits.
        """
        until, pause = time.monotonic() + LOCKED, SOONEST
        while True:
            try:
                return await self._attempt(do, game_id, whole)
            except errors.LockNotAvailable:
                found = failed("another session of the database holds a lock for too long", game_id)
                if time.monotonic() > until:
                    break
            except StoreError:
                raise
            except Exception as error:
                found = store_error(error, self._address, game_id)
                break
            await asyncio.sleep(pause)  # without holding a connection
            pause = min(2 * pause, LATEST)
        raise found  # outside the handlers: a chained psycopg error would keep its connection open

    async def _attempt(self, do: Callable[[Cursor], Awaitable[T]], game_id: str, whole: bool) -> T:
        lock = self._games.setdefault(game_id, asyncio.Lock()) if game_id else asyncio.Lock()
        async with entered(lock), entered(self._places), self._lent() as connection:
            with limited(connection, WORK):
                if not whole:
                    async with cursor_of(connection, game_id) as cursor:
                        return await do(cursor)
                async with connection.transaction(), cursor_of(connection, game_id) as cursor:
                    return await do(cursor)

    @asynccontextmanager
    async def _lent(self) -> AsyncIterator[PgConnection]:
        if self._closed:
            raise StoreError("the store is closed")
        connection = await self._take() or await connect(self._address)
        self._busy.add(connection)
        try:
            yield connection
        finally:
            self._busy.discard(connection)
            if self._closed or connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                await connection.close()
            else:
                self._idle.append(connection)

    async def _take(self) -> PgConnection | None:
        """Return an idle connection that is still open; None if there is none."""
        while self._idle:
            connection = self._idle.pop()
            if connection not in self._spent and usable(connection):
                return connection
            self._spent.discard(connection)
            await connection.close()
        return None

    def distrust(self) -> None:
        """Discard all connections that are currently idle."""
        self._spent.update(self._idle)

    async def close(self) -> None:
        """Close all connections; jobs in progress fail."""
        self._closed = True
        while self._idle:
            await self._idle.pop().close()
        for connection in self._busy:
            cut(connection)


@asynccontextmanager
async def entered(place: asyncio.Lock | asyncio.Semaphore) -> AsyncIterator[None]:
    """Acquire a lock or semaphore, waiting at most PATIENCE seconds. Raises StoreError."""
    try:
        async with asyncio.timeout(PATIENCE):
            await place.acquire()
    except TimeoutError:
        raise failed("all its connections are busy") from None
    try:
        yield
    finally:
        place.release()


def store_error(error: Exception, address: Address, game_id: str) -> StoreError:
    """Return an error as a StoreError, without values of rows in its text."""
    if isinstance(error, errors.UniqueViolation | errors.ForeignKeyViolation):
        return Conflict(error.diag.message_primary or "")
    if isinstance(error, errors.DiskFull):
        return StoreFull("there is no space to store it")
    if game_id and isinstance(error, DAMAGE):
        return Unreadable(NO_TEXT if isinstance(error, UnicodeDecodeError) else "its rows are damaged")
    return failed(what_failed(error, address), game_id)


def what_failed(error: Exception, address: Address) -> str:
    """Return a one-line description of an error, without values of rows or parts of the address."""
    if isinstance(error, TimeoutError):
        return f"no connection within {CONNECT:g} s"
    if not isinstance(error, psycopg.Error | OSError | StoreError):
        return type(error).__name__  # its text may contain data
    said = error.diag.message_primary if isinstance(error, psycopg.Error) else None
    return address.hidden_in(said or str(error))


def why_unusable(error: Exception, address: Address) -> BadSettings:
    """Return why a database cannot be opened; Unreachable if the cause may be temporary."""
    kind = BadSettings if isinstance(error, psycopg.ProgrammingError | StoreError) else Unreachable
    remedy = NO_RIGHTS if isinstance(error, errors.InsufficientPrivilege) else ""
    return kind(f"store: PostgreSQL cannot be opened: {what_failed(error, address)}{remedy}")
