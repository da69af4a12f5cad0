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


class Relay(socketserver.ThreadingTCPServer):
    daemon_threads = True


@contextmanager
def cutting(door: tuple[str, int], cuts: list[int]) -> Iterator[str]:
    """Yield the address of a relay to a door whose first connections are cut; what was used of `cuts` is taken away."""
    with Relay(("127.0.0.1", 0), type("CuttingHere", (Cutting,), {"door": door, "cuts": cuts})) as relay:
        threading.Thread(target=relay.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{relay.server_address[1]}"
        relay.shutdown()
