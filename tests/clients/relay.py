"""A way to a door that breaks off again and again."""

import select
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Cutting(socketserver.BaseRequestHandler):
    """Passes bytes on to a door, and cuts each of the first connections in the middle of what it answers."""

    door: tuple[str, int]
    cuts: list[int]  # bytes of an answer after which a connection is cut, the next one last

    def handle(self) -> None:
        left = self.cuts.pop() if self.cuts else None
        with socket.create_connection(self.door) as door:
            while left is None or left > 0:
                ready, _, _ = select.select([self.request, door], [], [])
                data = ready[0].recv(min(left or 65536, 65536))
                if not data:
                    break
                (door if ready[0] is self.request else self.request).sendall(data)
                if left is not None and ready[0] is door:
                    left -= len(data)


class Muting(socketserver.BaseRequestHandler):
    """Passes bytes on between callers and a server; `mute` keeps what comes on the connections that there are by then.

    Attributes:
        mute: whether they are kept back.
        old: connections that were there before.
    """

    door: tuple[str, int]
    mute: threading.Event
    old: set[object]

    def handle(self) -> None:
        if not self.mute.is_set():
            self.old.add(self)
        with socket.create_connection(self.door) as door:
            while True:
                ready, _, _ = select.select([self.request, door], [], [])
                data = ready[0].recv(65536)
                if not data:
                    break
                if not (self in self.old and self.mute.is_set()):
                    (door if ready[0] is self.request else self.request).sendall(data)


class Relay(socketserver.ThreadingTCPServer):
    daemon_threads = True


@contextmanager
def muting(door: tuple[str, int]) -> Iterator[tuple[str, threading.Event]]:
    """Yield the target of a relay to a server, and what mutes the connections that there are when it is set."""
    mute = threading.Event()
    here = type("MutingHere", (Muting,), {"door": door, "mute": mute, "old": set()})
    with Relay(("127.0.0.1", 0), here) as relay:
        threading.Thread(target=relay.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{relay.server_address[1]}", mute
        relay.shutdown()


@contextmanager
def cutting(door: tuple[str, int], cuts: list[int]) -> Iterator[str]:
    """Yield the address of a relay to a door whose first connections are cut; what was used of `cuts` is taken away."""
    with Relay(("127.0.0.1", 0), type("CuttingHere", (Cutting,), {"door": door, "cuts": cuts})) as relay:
        threading.Thread(target=relay.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{relay.server_address[1]}"
        relay.shutdown()
