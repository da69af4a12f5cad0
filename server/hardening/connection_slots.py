"""Limits the gateway's connections, with a share for each address; when full, it closes the longest idle one."""

import asyncio
import ipaddress
import logging
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from clerestory.counting import decrease

CONNECTIONS = 500  # of all addresses, by default
SHARES = 4  # one address may hold 1/SHARES of the connections
LEAST = 8  # minimum share of an address: a browser opens six connections
BYTES = 8 << 20  # for the unfinished requests of all connections: thousands of positions
PAUSE = 1.0  # seconds between two log lines
SHOWN = 3  # reasons in a log line

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

logger = logging.getLogger(__name__)


class ConnectionSlot(Protocol):
    """A connection that is counted.

    Attributes:
        address: the client's network, as returned by `network_of`.
        size: bytes of its request in memory.
    """

    address: str
    size: int

    def leave(self) -> None:
        """Close at once."""


class ConnectionSlots:
    """The limits on the gateway's connections, and the connections that count against them.

    Connections that wait for their client are either in a request (or before the first one) or between two requests. To
    make room, the gateway closes the one that has waited longest in the larger group. So a flood of silent connections
    displaces its own members, not the connections in use.

    Args:
        most: maximum number of connections.
        free: networks of trusted proxies, which are exempt from the share for each address.
    """

    def __init__(self, most: int, free: Sequence[Network] = ()) -> None:
        self._most, self._each, self._free = most, max(most // SHARES, LEAST), free
        self._held: Counter[str] = Counter()
        self._total = 0
        self._bytes = 0
        self._asking: dict[ConnectionSlot, None] = {}
        self._between: dict[ConnectionSlot, None] = {}
        self._closures = ClosureLog()

    @property
    def full(self) -> bool:
        """Whether the gateway must close a connection to accept another."""
        return self._total >= self._most

    def enter(self, address: str) -> bool:
        """Take a slot for a new connection, closing another one if necessary; return whether there was one."""
        if self._held[address] >= self._each and not self._is_free(address):
            found = self._close(self._longest(address), f"{address} has its share of the connections")
        elif self.full:
            found = self.make_room("all connections are in use")
        else:
            found = True
        if found:
            self._held[address] += 1
            self._total += 1
        return found

    def make_room(self, why: str) -> bool:
        """Close the longest waiting connection of the larger group; return whether there was one."""
        crowd = max(self._asking, self._between, key=len)
        return self._close(next(iter(crowd), None), why)

    def asks(self, holder: ConnectionSlot) -> None:
        """Record that a connection waits for a request, or for the rest of one."""
        self._between.pop(holder, None)
        self._asking.setdefault(holder)

    def rests(self, holder: ConnectionSlot) -> None:
        """Record that a connection is idle between two requests."""
        self.works(holder)
        self._between[holder] = None

    def works(self, holder: ConnectionSlot) -> None:
        """Record that a request is being answered, so that its connection is not closed."""
        self._asking.pop(holder, None)
        self._between.pop(holder, None)

    def fills(self, holder: ConnectionSlot, size: int) -> None:
        """Record the bytes of a request in memory; if the total is too large, close the longest waiting connection."""
        self._bytes += size - holder.size
        holder.size = size
        if self._bytes > BYTES:
            self._close(
                next((one for one in self._asking if one.size), holder), "unfinished requests fill their memory"
            )

    def leave(self, holder: ConnectionSlot) -> None:
        """Release the slot of a connection."""
        self.works(holder)
        self.fills(holder, 0)
        self._total -= 1
        decrease(self._held, holder.address)

    def _longest(self, address: str) -> ConnectionSlot | None:
        """Return the longest waiting connection of an address; None if none waits."""
        waiting = (holder for kind in (self._asking, self._between) for holder in kind)
        return next((holder for holder in waiting if holder.address == address), None)

    def _close(self, holder: ConnectionSlot | None, why: str) -> bool:
        self._closures.add(why)
        if holder is None:
            return False
        self.works(holder)
        self._bytes -= holder.size
        holder.size = 0
        holder.leave()
        return True

    def _is_free(self, address: str) -> bool:
        first = ipaddress.ip_network(address).network_address
        return any(first in free for free in self._free)


class ClosureLog:
    """Logs closed connections at a limited rate, so that strangers cannot flood the log."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._pausing = False

    def add(self, why: str) -> None:
        """Count an occurrence, and log it now or at the end of the pause after the previous line."""
        self._counts[why] += 1
        if not self._pausing:
            self._log()

    def _log(self) -> None:
        self._pausing = bool(self._counts)
        if self._pausing:
            reasons = "; ".join(f"{count} because {why}" for why, count in self._counts.most_common(SHOWN))
            logger.warning("connections closed: %s", reasons)
            self._counts.clear()
            asyncio.get_running_loop().call_later(PAUSE, self._log)
