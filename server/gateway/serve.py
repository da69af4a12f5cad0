"""Starts and stops the gateway in the event loop of the calling program."""

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
from clerestory.server.gateway.app import GatewayApp
from clerestory.server.gateway.bridge import MAX_STREAMS, Bridge
from clerestory.server.gateway.config import GatewaySettings
from clerestory.server.gateway.listener import Listener
from clerestory.server.gateway.page import read_page
from clerestory.server.gateway.protocol import Protocol, Sharing
from clerestory.server.hardening.connection_slots import CONNECTIONS, ConnectionSlots

SEND_BYTES = 16 * 1024  # kernel send buffer for a slow client: a few responses
BACKLOG = 4096  # connections that the kernel queues until they are accepted
KEEP_ALIVE = 30  # seconds until an idle connection is closed
GRACE = 2  # seconds to send the last responses; calls are cancelled after half of them


class HttpServer(uvicorn.Server):
    """A uvicorn server with the gateway's listener, and without signal handlers, which the program has itself.

    Args:
        config: the configuration of uvicorn.
        slots: the limits on connections.
        sharing: makes headers for pages of other sites.
    """

    def __init__(self, config: uvicorn.Config, slots: ConnectionSlots, sharing: Sharing) -> None:
        super().__init__(config)
        self._slots, self._sharing = slots, sharing

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start accepting connections."""
        own = (self._slots, self._protocol, self._sharing)
        self.servers: Any = [Listener(listener, *own) for listener in sockets or ()]
        self.started = True

    def _protocol(self, address: str) -> Protocol:
        own = {"config": self.config, "server_state": self.server_state, "app_state": {}}
        return Protocol(address, self._slots, self._sharing, **own)

    def capture_signals(self) -> Any:
        """Leave signal handling to the program."""
        return contextlib.nullcontext()


@dataclass(frozen=True, slots=True)
class OpenGateway:
    """A running gateway.

    Attributes:
        url: its address in a browser.
        own: whether no other machine reaches it, not even through a proxy.
        redial: switches new calls to another connection to the server; the old one closes when its calls have ended.
    """

    url: str
    own: bool
    redial: Callable[[Connection], None]

    def __str__(self) -> str:
        return f"{self.url} (for this machine only)" if self.own else self.url


@asynccontextmanager
async def opened(
    settings: GatewaySettings, server: Connection, connections: int = CONNECTIONS, streams: int = MAX_STREAMS
) -> AsyncIterator[OpenGateway]:
    """Run a gateway in front of a server, and stop it on exit; calls that are still in progress are cancelled.

    Args:
        settings: the gateway's settings.
        server: the connection to the server.
        connections: maximum number of connections.
        streams: maximum number of open streams.

    Raises OSError if it cannot listen at its address.
    """
    listener = listen(settings)
    async with aclosing(Bridge(server, streams)) as bridge:
        gateway = GatewayApp(bridge, settings, read_page(settings.page))
        slots = ConnectionSlots(connections, settings.networks)
        http = HttpServer(config_of(gateway, settings), slots, settings.sharing)
        running = asyncio.create_task(http.serve(sockets=[listener]))
        try:
            while not (http.started or running.done()):
                await asyncio.sleep(0.001)
            yield OpenGateway(url_of(settings, listener), settings.own, bridge.use)
        finally:
            http.should_exit = True
            asyncio.get_running_loop().call_later(GRACE / 2, bridge.finish)
            await running


def listen(settings: GatewaySettings) -> socket.socket:
    """Return the socket to listen on. Raises OSError.

    The protocol is set to TCP explicitly, because only then does asyncio turn off Nagle's algorithm, which delays each
    response by 40 ms.
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


def url_of(settings: GatewaySettings, listener: socket.socket) -> str:
    """Return the URL of the page."""
    host, _ = settings.address
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}/"


def config_of(gateway: GatewayApp, settings: GatewaySettings) -> uvicorn.Config:
    """Return the uvicorn configuration. Only the configured proxies may set `X-Forwarded-For`."""
    logging.getLogger("uvicorn").setLevel(logging.ERROR)  # the server logs every call; strangers must not flood the log
    return uvicorn.Config(
        gateway,
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
