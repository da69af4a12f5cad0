"""Opens and closes a door, in the event loop of the program that opens it."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn

from clerestory.clients.connection import Connection
from clerestory.door.app import Door
from clerestory.door.bridge import MAX_STREAMS, Bridge
from clerestory.door.config import DoorSettings
from clerestory.door.listener import Listener
from clerestory.door.page import read_page
from clerestory.door.places import CONNECTIONS, ConnectionPlaces
from clerestory.door.protocol import Protocol

SEND_BYTES = 16 * 1024  # send buffer of the kernel for a slow reader: a few tables
BACKLOG = 4096  # connections that wait in the system until they are accepted
KEEP_ALIVE = 30  # seconds
GRACE = 2  # seconds for the last answers to be sent, after half of which calls are ended


class HttpServer(uvicorn.Server):
    """uvicorn with our way to accept connections, and without its signal handlers: the program has its own.

    Args:
        config: of uvicorn.
        places: of the connections.
    """

    def __init__(self, config: uvicorn.Config, places: ConnectionPlaces) -> None:
        super().__init__(config)
        self._places = places

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections."""
        self.servers: Any = [Listener(listener, self._places, self._protocol) for listener in sockets or ()]
        self.started = True

    def _protocol(self, address: str) -> Protocol:
        return Protocol(address, self._places, config=self.config, server_state=self.server_state, app_state={})

    def capture_signals(self) -> Any:
        """Leave signals alone."""
        return contextlib.nullcontext()


@dataclass(frozen=True, slots=True)
class OpenDoor:
    """A door that answers.

    Attributes:
        url: its address in a browser.
        redial: begins calls by another connection to the server; those under way go on, then theirs is closed.
    """

    url: str
    redial: Callable[[Connection], None]


@asynccontextmanager
async def opened(
    settings: DoorSettings, server: Connection, connections: int = CONNECTIONS, streams: int = MAX_STREAMS
) -> AsyncIterator[OpenDoor]:
    """Open a door in front of a server, and close it on leaving; calls that the server does not end soon are ended.

    Args:
        settings: of the door.
        server: behind it.
        connections: that it may have at once.
        streams: that may be open at once.

    Raises OSError if it cannot listen at its address.
    """
    listener = listen(settings)
    async with aclosing(Bridge(server, streams)) as bridge:
        door = Door(bridge, settings, read_page(settings.page))
        http = HttpServer(config_of(door, settings), ConnectionPlaces(connections, settings.networks))
        running = asyncio.create_task(http.serve(sockets=[listener]))
        try:
            while not (http.started or running.done()):
                await asyncio.sleep(0.001)
            yield OpenDoor(url_of(settings, listener), bridge.use)
        finally:
            http.should_exit = True
            asyncio.get_running_loop().call_later(GRACE / 2, bridge.finish)
            await running


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
        listener.listen(BACKLOG)
    except OSError as error:
        raise OSError(f"cannot listen on {settings.listen}: {error.strerror}") from None
    return listener


def url_of(settings: DoorSettings, listener: socket.socket) -> str:
    """Return the URL of the page."""
    host, _ = settings.address
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}/"


def config_of(door: Door, settings: DoorSettings) -> uvicorn.Config:
    """Return the configuration of uvicorn for the door. Only its proxies may name callers (`X-Forwarded-For`)."""
    logging.getLogger("uvicorn").setLevel(logging.ERROR)  # the server logs every call itself, strangers fill no log
    return uvicorn.Config(
        door,
        http=Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=GRACE,
    )
