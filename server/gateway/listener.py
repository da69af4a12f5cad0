"""Accepts the gateway's connections, within their limits."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from clerestory.addresses import network_of
from clerestory.server.gateway.errors import RETRY, TooManyOpen
from clerestory.server.gateway.protocol import Protocol, Sharing, origin_of
from clerestory.server.hardening.connection_slots import ConnectionSlots

MAX_ACCEPTS = 4  # connections accepted before other work runs: each takes half a millisecond
AGAIN = 0.05  # seconds until the next attempt when the system is out of file descriptors
MOMENT = 0.01  # seconds until the next attempt when the gateway is full; after it, the connection is rejected
FULL = TooManyOpen("connections").body()
MAX_REJECTED = 16 * 1024  # bytes read of a rejected request; unread ones would make the answer lost


class Listener:
    """A listening socket, and the connections that it accepts.

    Args:
        sock: a socket that is already listening.
        slots: the limits on connections.
        make: returns the protocol for a connection from an address.
        sharing: makes headers for pages of other sites.
    """

    def __init__(
        self, sock: socket.socket, slots: ConnectionSlots, make: Callable[[str], Protocol], sharing: Sharing
    ) -> None:
        self._sock, self._slots, self._make, self._sharing = sock, slots, make, sharing
        self._loop = asyncio.get_running_loop()
        self._beginning: set[asyncio.Task[None]] = set()
        self._later: asyncio.TimerHandle | None = None
        self._waiting: socket.socket | None = None  # a connection that waits for a slot
        sock.setblocking(False)
        self._listen()

    def close(self) -> None:
        """Stop accepting connections."""
        self._loop.remove_reader(self._sock)
        if self._later is not None:
            self._later.cancel()
        if self._waiting is not None:
            reject(self._waiting, self._sharing)
            self._waiting = None

    async def wait_closed(self) -> None:
        """Return once every accepted connection has been set up."""
        await asyncio.gather(*self._beginning)

    def _listen(self) -> None:
        self._loop.add_reader(self._sock, self._accept)

    def _accept(self) -> None:
        """Accept up to MAX_ACCEPTS pending connections.

        When the system is out of file descriptors, pause, because the socket would stay readable. When the gateway is
        full, wait a moment for a connection to end.
        """
        for _ in range(MAX_ACCEPTS):
            try:
                sock, (host, *_) = self._sock.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._slots.make_room(f"the system allows no more ({error.strerror})")
                self._rest(AGAIN, self._listen)
                return
            sock.setblocking(False)
            address = network_of(host)
            if not self._enter(sock, address):
                if self._slots.full:
                    self._waiting = sock
                    self._rest(MOMENT, partial(self._try_again, sock, address))
                    return
                reject(sock, self._sharing)

    def _rest(self, seconds: float, then: Callable[[], None]) -> None:
        """Stop accepting for a moment."""
        self._loop.remove_reader(self._sock)
        self._later = self._loop.call_later(seconds, then)

    def _enter(self, sock: socket.socket, address: str) -> bool:
        """Set up a connection if there is a slot for it; return whether there is."""
        found = self._slots.enter(address)
        if found:
            task = self._loop.create_task(self._begin(sock, self._make(address)))
            self._beginning.add(task)
            task.add_done_callback(self._beginning.discard)
        return found

    def _try_again(self, sock: socket.socket, address: str) -> None:
        """Set up a connection, or reject it; then listen again."""
        self._waiting = None
        if not self._enter(sock, address):
            reject(sock, self._sharing)
        self._listen()

    async def _begin(self, sock: socket.socket, protocol: Protocol) -> None:
        """Attach a protocol to a socket."""
        try:
            await self._loop.connect_accepted_socket(lambda: protocol, sock)
        except OSError:
            self._slots.leave(protocol)
            sock.close()


def reject(sock: socket.socket, sharing: Sharing) -> None:
    """Send 503 if the socket accepts it, readable by the page that asks if its request has arrived, and close."""
    head = b""
    with sock, suppress(OSError):
        with suppress(BlockingIOError):
            head = sock.recv(MAX_REJECTED)
        headers = "".join(f"{name}: {value}\r\n" for name, value in sharing(origin_of(head)))
        sock.send(full(headers))


def full(headers: str) -> bytes:
    """Return the answer of a full gateway, with some headers, each with the end of its line."""
    own = f"content-type: application/json\r\nconnection: close\r\nretry-after: {RETRY}\r\n"
    length = f"content-length: {len(FULL)}\r\n"
    return f"HTTP/1.1 503 Service Unavailable\r\n{own}{length}{headers}\r\n".encode() + FULL
