"""Relays to a server that cut connections repeatedly, or fall silent."""

import select
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Relay(socketserver.ThreadingTCPServer):
    """Relays bytes between callers and a server.

    The first connections are cut after given numbers of bytes of the answers, the next one last. Once `mute` is set,
    the existing connections receive nothing more.
    """

    daemon_threads = True

    def __init__(self, server: tuple[str, int], cuts: list[int]) -> None:
        super().__init__(("127.0.0.1", 0), Passing)
        self.server, self.cuts, self.mute = server, cuts, threading.Event()


class Passing(socketserver.BaseRequestHandler):
    server: Any  # a Relay

    def handle(self) -> None:
        left = self.server.cuts.pop() if self.server.cuts else None
        mutable = not self.server.mute.is_set()
        with socket.create_connection(self.server.server) as server:
            while left is None or left > 0:
                ready, _, _ = select.select([self.request, server], [], [])
                data = ready[0].recv(min(left or 65536, 65536))
                if not data:
                    break
                if not (mutable and self.server.mute.is_set()):
                    (server if ready[0] is self.request else self.request).sendall(data)
                if left is not None and ready[0] is server:
                    left -= len(data)


@contextmanager
def relaying(server: tuple[str, int], cuts: list[int]) -> Iterator[tuple[str, threading.Event]]:
    with Relay(server, cuts) as relay:
        threading.Thread(target=relay.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{relay.server_address[1]}", relay.mute
        relay.shutdown()


@contextmanager
def muting(server: tuple[str, int]) -> Iterator[tuple[str, threading.Event]]:
    """Yield the address of a relay to a server, and an event that mutes the existing connections when set."""
    with relaying(server, []) as relay:
        yield relay


@contextmanager
def cutting(gateway: tuple[str, int], cuts: list[int]) -> Iterator[str]:
    """Yield the address of a relay to a gateway whose first connections are cut; removes used `cuts`."""
    with relaying(gateway, cuts) as (address, _):
        yield f"http://{address}"
