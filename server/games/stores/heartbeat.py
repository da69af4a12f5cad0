"""A dedicated PostgreSQL connection for the server's lease, notifications from other servers, and the shared clock."""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, LiteralString

import psycopg

from clerestory.server.games.background import contained
from clerestory.server.games.stores.postgres_link import Address, PgConnection, connect, cut, limited

BEAT = 2.0  # seconds between heartbeats
REPLY = 3.0  # timeout of a heartbeat in seconds, after which the connection counts as dead
MISSED = 3  # missed heartbeats after which the server counts as disconnected
PAUSE = 1.0  # seconds before reconnecting
CLEAR = 1.0  # seconds; a slower heartbeat does not adjust the clock

ALIVE: LiteralString = """
    INSERT INTO server VALUES (%s, clock_timestamp()) ON CONFLICT (id) DO UPDATE SET seen = clock_timestamp()
    RETURNING (extract(epoch FROM seen) * 1000)::BIGINT
"""

logger = logging.getLogger(__name__)


class Clock:
    """The database's clock, extrapolated between heartbeats with this machine's monotonic clock."""

    def __init__(self) -> None:
        self._offset: float | None = None  # milliseconds

    def now(self) -> int:
        """Return milliseconds since 1970."""
        assert self._offset is not None
        return int(self._offset + 1000 * time.monotonic())

    def set(self, reported: int, asked: float) -> None:
        """Adjust to a database time, assumed to be halfway between request and response.

        Args:
            reported: milliseconds since 1970.
            asked: monotonic time of the request, in seconds.
        """
        answered = time.monotonic()
        if self._offset is None or answered - asked < CLEAR:
            self._offset = reported - 1000 * (asked + answered) / 2


class Heartbeat:
    """Renews the lease of a server and receives notifications, reconnecting when necessary.

    Args:
        address: address of the database.
        number: number of the server.
        channels: channels of the notifications.
        callback: called with each notification, and with None after some may have been missed.
    """

    def __init__(
        self,
        address: Address,
        number: int,
        channels: tuple[str, ...],
        callback: Callable[[psycopg.Notify | None], None],
    ) -> None:
        self.clock = Clock()
        self._address, self._number, self._channels, self._callback = address, number, channels, callback
        self._last = time.monotonic()  # when the last successful heartbeat was sent
        self._connection: PgConnection | None = None
        self._ending = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def alive(self) -> bool:
        """Whether fewer than MISSED heartbeats were missed."""
        return time.monotonic() - self._last < (MISSED + 1) * BEAT

    async def start(self) -> None:
        """Connect, and continue in the background. Raises psycopg.Error, TimeoutError."""
        await self._open()
        self._task = asyncio.create_task(self._live())

    async def _open(self) -> None:
        self._connection = await connect(self._address)
        with limited(self._connection, REPLY):
            for channel in self._channels:
                await self._connection.execute(f"LISTEN {channel}")
            await self._connection.execute("DELETE FROM server WHERE seen < clock_timestamp() - interval '1 day'")
        await self._beat(self._connection)

    async def _live(self) -> None:
        warned = False
        while not self._ending.is_set():
            try:
                if self._connection is None:
                    await self._open()
                    self._report(None)
                    logger.warning("PostgreSQL answers again")
                    warned = False
                await self._listen()
            except Exception as error:  # any error: without this task the server would stay disconnected
                await self._close()
                if not (warned or self._ending.is_set()):
                    surprise = None if isinstance(error, psycopg.Error | OSError | TimeoutError) else error
                    text = "PostgreSQL is unavailable: this server may lose its games to others"
                    logger.warning(text, exc_info=surprise)
                warned = True
                await self._rest(PAUSE)

    async def _listen(self) -> None:
        """Report notifications until the next heartbeat, which must succeed."""
        assert self._connection is not None
        async for notice in self._connection.notifies(timeout=BEAT):
            self._report(notice)
        if not self._ending.is_set():
            await self._beat(self._connection)

    def _report(self, notice: psycopg.Notify | None) -> None:
        """Report a notification; an error in the callback is logged and does not end the task."""
        with contained("the news of another server"):
            self._callback(notice)

    async def _beat(self, connection: PgConnection) -> None:
        asked = time.monotonic()
        with limited(connection, REPLY):
            row: Any = await (await connection.execute(ALIVE, (self._number,))).fetchone()
        self._last = asked
        self.clock.set(row[0], asked)

    async def _rest(self, seconds: float) -> None:
        """Wait, unless the task is to end."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ending.wait()

    async def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contained("closing a connection to PostgreSQL"):
                await connection.close()

    async def end(self, within: float) -> None:
        """End within `within` seconds, even if the database does not respond."""
        self._ending.set()
        if self._connection is not None:
            cut(self._connection)
        if self._task is not None:
            _, left = await asyncio.wait((self._task,), timeout=within / 2)
            for task in left:
                task.cancel()
            await asyncio.wait((self._task,), timeout=within / 2)
        await self._close()
