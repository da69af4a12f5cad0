"""Opens and closes a door, in the event loop of the program that opens it."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from clerestory.clients.connection import LOCAL, Connection
from clerestory.door.app import Door
from clerestory.door.bridge import Bridge
from clerestory.door.config import DoorSettings
from clerestory.door.page import read_page

SEND_BYTES = 16 * 1024  # send buffer of the kernel for a slow reader: a few tables
HEADER_SECONDS = 10.0  # within which the head of a request must arrive
KEEP_ALIVE = 30  # seconds
MAX_CONNECTIONS = 1000
MAX_HEAD_BYTES = 16 * 1024
GRACE = 2  # seconds for the last answers to be sent, once calls have ended


class Protocol(H11Protocol):
    """HTTP/1.1 with a time limit for the head of a request."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the timer."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Stop the timer once a head is complete; start it for one that has begun."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._wait_no_more()
        elif self._waiting is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timer."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


class HttpServer(uvicorn.Server):
    """uvicorn without its signal handlers: the program that opens the door has its own."""

    def capture_signals(self) -> Any:
        """Leave signals alone."""
        return contextlib.nullcontext()


@dataclass(frozen=True, slots=True)
class OpenDoor:
    """A door that answers.

    Attributes:
        url: its address in a browser.
    """

    url: str


@asynccontextmanager
async def opened(settings: DoorSettings, server: Connection) -> AsyncIterator[OpenDoor]:
    """Open a door in front of a server, and close it on leaving, when the server should have ended its calls.

    Raises OSError if it cannot listen at its address.
    """
    listener = listen(settings)
    async with channel_to(server) as channel:
        door = Door(
            Bridge(channel, list(server.metadata), near=server.target.startswith(LOCAL)),
            settings,
            read_page(settings.page),
        )
        http = HttpServer(config_of(door))
        running = asyncio.create_task(http.serve(sockets=[listener]))
        try:
            while not (http.started or running.done()):
                await asyncio.sleep(0.001)
            yield OpenDoor(url_of(settings, listener))
        finally:
            http.should_exit = True
            await running


def channel_to(server: Connection) -> grpc.aio.Channel:
    """Return a channel to the server."""
    if server.credentials is None:
        return grpc.aio.insecure_channel(server.target, options=server.options)
    return grpc.aio.secure_channel(server.target, server.credentials, options=server.options)


def listen(settings: DoorSettings) -> socket.socket:
    """Return the socket to listen on. Raises OSError.

    Its protocol is set to TCP explicitly: only then does asyncio turn off Nagle's algorithm, which delays each answer
    by 40 ms.
    """
    host, port = settings.address
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
            0
        ]
        listener = socket.socket(family, kind, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BYTES)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        raise OSError(f"cannot listen on {settings.listen}: {error.strerror}") from None
    return listener


def url_of(settings: DoorSettings, listener: socket.socket) -> str:
    """Return the URL of the page."""
    host, _ = settings.address
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}/"


def config_of(door: Door) -> uvicorn.Config:
    """Return the configuration of uvicorn for the door."""
    logging.getLogger("uvicorn").setLevel(logging.WARNING)  # the server logs every call itself
    return uvicorn.Config(
        door,
        http=Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=GRACE,
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
    )
