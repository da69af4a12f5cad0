"""A network between a server and its database that can fall silent, and lose answers."""

import asyncio
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SOCKET = ".s.PGSQL.5432"
COMMIT = b"Q\0\0\0\x0bCOMMIT\0"  # as psycopg sends it


@dataclass
class Proxy:
    """Passes on what comes."""

    upstream: str
    address: str  # of the database, through it
    silent: bool = False  # nothing is forwarded, on any connection
    away: bool = False  # connections are closed at once
    losing: bool = False  # answers to COMMIT are lost, and their connections end
    stale: set[asyncio.StreamWriter] = field(default_factory=set)  # connections that are silent though others are not
    heard: dict[asyncio.StreamWriter, bytearray] | None = None  # recorded requests by connection; None: not recorded
    open: set[asyncio.StreamWriter] = field(default_factory=set)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def forget(self) -> None:
        """Pass nothing on of the connections there are; new ones work."""
        self.stale |= self.open

    def stop(self) -> None:
        """End all connections, and refuse others until `away` is unset."""
        self.away = True
        for connection in self.open:
            connection.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open.add(writer)
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        ends = [writer]
        try:
            if self.away:
                return
            await self._until_heard(writer)
            there_reader, there = await asyncio.open_unix_connection(self.upstream)
            ends.append(there)
            lost = asyncio.Event()
            await asyncio.gather(self._ask(writer, reader, there, lost), self._answer(writer, there_reader, lost))
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self.open.discard(writer)
            self.tasks.discard(task)
            for end in ends:
                end.transport.abort()

    async def _ask(
        self, here: asyncio.StreamWriter, source: asyncio.StreamReader, sink: asyncio.StreamWriter, lost: asyncio.Event
    ) -> None:
        """Pass on what a server asks; `lost` is set once it asks for what it shall get no answer to."""
        with suppress(OSError):
            while data := await source.read(1 << 16):
                await self._until_heard(here)
                if self.heard is not None:
                    self.heard.setdefault(here, bytearray()).extend(data)
                if self.losing and data.endswith(COMMIT):
                    lost.set()
                sink.write(data)
                await sink.drain()
        with suppress(OSError):
            sink.write_eof()

    async def _answer(self, here: asyncio.StreamWriter, source: asyncio.StreamReader, lost: asyncio.Event) -> None:
        """Pass on what the database answers."""
        with suppress(OSError):
            while data := await source.read(1 << 16):
                await self._until_heard(here)
                if lost.is_set():
                    here.transport.abort()
                    return
                here.write(data)
                await here.drain()
        with suppress(OSError):
            here.write_eof()

    async def _until_heard(self, connection: asyncio.StreamWriter) -> None:
        while self.silent or connection in self.stale:
            await asyncio.sleep(0.01)


@asynccontextmanager
async def proxied(database: str) -> AsyncIterator[Proxy]:
    """Yield a proxy before a database, by an address as the fixture has it."""
    folder = database.partition("host=")[2].partition("&")[0]
    with tempfile.TemporaryDirectory(prefix="px-") as own:
        proxy = Proxy(str(Path(folder, SOCKET)), database.replace(folder, own))
        server = await asyncio.start_unix_server(proxy.serve, str(Path(own, SOCKET)))
        try:
            yield proxy
        finally:
            server.close()
            left = [*proxy.tasks]
            for task in left:
                task.cancel()
            await asyncio.gather(*left)
            await asyncio.sleep(0.01)  # for the transports to close


@contextmanager
def loop_in_thread() -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """Run an event loop in a thread; yield what runs a coroutine there, and returns its result."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="event loop")
    thread.start()
    try:
        yield lambda work: asyncio.run_coroutine_threadsafe(work, loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
