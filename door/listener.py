"""Accepts the connections of a door, as many as there is room for."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress

from clerestory.addresses import network_of
from clerestory.door.places import Places
from clerestory.door.protocol import Protocol

AT_ONCE = 16  # connections that are accepted before other work goes on
AGAIN = 0.05  # seconds until the next attempt where the system has no descriptor left
FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
    b"retry-after: 1\r\ncontent-length: 50\r\n\r\nToo many connections are open; try again shortly.\n"
)


class Listener:
    """A socket that listens, and the connections that it leads to.

    Args:
        sock: listens already.
        places: of its connections.
        make: returns the protocol of a connection from an address.
    """

    def __init__(self, sock: socket.socket, places: Places, make: Callable[[str], Protocol]) -> None:
        self._sock, self._places, self._make = sock, places, make
        self._loop = asyncio.get_running_loop()
        self._beginning: set[asyncio.Task[None]] = set()
        self._later: asyncio.TimerHandle | None = None
        sock.setblocking(False)
        self._listen()

    def close(self) -> None:
        """Accept no more."""
        self._loop.remove_reader(self._sock)
        if self._later is not None:
            self._later.cancel()

    async def wait_closed(self) -> None:
        """Return once every connection that was accepted has begun."""
        await asyncio.gather(*self._beginning)

    def _listen(self) -> None:
        self._loop.add_reader(self._sock, self._accept)

    def _accept(self) -> None:
        """Accept those that have come, up to AT_ONCE."""
        for _ in range(AT_ONCE):
            try:
                sock, (host, *_) = self._sock.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._pause(error)
                return
            self._let_in(sock, network_of(host))

    def _pause(self, error: OSError) -> None:
        """Make room, and try again a little later: until then the socket would only report the same."""
        self._places.make_room(f"the system refuses more ({error.strerror})")
        self._loop.remove_reader(self._sock)
        self._later = self._loop.call_later(AGAIN, self._listen)

    def _let_in(self, sock: socket.socket, address: str) -> None:
        sock.setblocking(False)
        if self._places.enter(address):
            task = self._loop.create_task(self._begin(sock, self._make(address)))
            self._beginning.add(task)
            task.add_done_callback(self._beginning.discard)
            return
        with sock, suppress(OSError):
            sock.send(FULL)

    async def _begin(self, sock: socket.socket, protocol: Protocol) -> None:
        """Connect a socket and its protocol."""
        try:
            await self._loop.connect_accepted_socket(lambda: protocol, sock)
        except OSError:
            self._places.leave(protocol.address)
            sock.close()
