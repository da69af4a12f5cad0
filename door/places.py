"""Who may hold the connections of a door: a share for each address, and whoever has waited longest makes room."""

import asyncio
import ipaddress
import logging
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from clerestory.counting import decrease
from clerestory.door.config import Network

CONNECTIONS = 500  # of all addresses, where nobody says how many descriptors there are for them
SHARES = 4  # one address may hold one of so many parts of the connections
LEAST = 8  # connections of one address, however few there are: a browser opens six
BYTES = 8 << 20  # of the requests of all connections: many thousand positions
PAUSE = 1.0  # seconds from one line in the log to the next
SHOWN = 3  # reasons in a line

logger = logging.getLogger(__name__)


class HeldConnection(Protocol):
    """A connection.

    Attributes:
        address: where it comes from, as `network_of` writes it.
        size: bytes of its request that are in memory.
    """

    address: str
    size: int

    def leave(self) -> None:
        """Close at once."""


class ConnectionPlaces:
    """The connections of a door.

    Those that wait for their caller are of two kinds: in the middle of a request (or before the first), and between
    two requests. Where room is needed, the longest waiting one of the larger kind is closed: so a crowd of silent
    connections closes its own, not those that people use.

    Args:
        most: connections at once.
        free: networks whose connections have no share, because they are proxies.
    """

    def __init__(self, most: int, free: Sequence[Network] = ()) -> None:
        self._most, self._each, self._free = most, max(most // SHARES, LEAST), free
        self._held: Counter[str] = Counter()
        self._total = 0
        self._bytes = 0
        self._asking: dict[HeldConnection, None] = {}
        self._between: dict[HeldConnection, None] = {}
        self._told = ClosureLog()

    @property
    def full(self) -> bool:
        """Whether another connection must be closed before one can enter."""
        return self._total >= self._most

    def enter(self, address: str) -> bool:
        """Count a new connection, and return whether there is a place for it; another may be closed for it."""
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
        """Close the connection that can be spared most; return whether there was one."""
        crowd = max(self._asking, self._between, key=len)
        return self._close(next(iter(crowd), None), why)

    def asks(self, holder: HeldConnection) -> None:
        """Note that a connection waits for a request, or the rest of one."""
        self._between.pop(holder, None)
        self._asking.setdefault(holder)

    def rests(self, holder: HeldConnection) -> None:
        """Note that a connection waits between two requests."""
        self.works(holder)
        self._between[holder] = None

    def works(self, holder: HeldConnection) -> None:
        """Note that a connection waits for its answer: it keeps its place."""
        self._asking.pop(holder, None)
        self._between.pop(holder, None)

    def fills(self, holder: HeldConnection, size: int) -> None:
        """Note how many bytes of a request a connection holds; if all have too many, close the longest waiting one."""
        self._bytes += size - holder.size
        holder.size = size
        if self._bytes > BYTES:
            self._close(
                next((one for one in self._asking if one.size), holder), "unfinished requests fill their memory"
            )

    def leave(self, holder: HeldConnection) -> None:
        """Give the place of a connection back."""
        self.works(holder)
        self.fills(holder, 0)
        self._total -= 1
        decrease(self._held, holder.address)

    def _longest(self, address: str) -> HeldConnection | None:
        """Return the longest waiting connection of an address, None if none waits."""
        waiting = (holder for kind in (self._asking, self._between) for holder in kind)
        return next((holder for holder in waiting if holder.address == address), None)

    def _close(self, holder: HeldConnection | None, why: str) -> bool:
        self._told.tell(why)
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
    """Tells the log of what strangers do, a line at most in each pause."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._pausing = False

    def tell(self, why: str) -> None:
        """Count an occurrence, and log it, after the pause if there was a line just before."""
        self._counts[why] += 1
        if not self._pausing:
            self._log()

    def _log(self) -> None:
        self._pausing = bool(self._counts)
        if self._pausing:
            told = "; ".join(f"{count} because {why}" for why, count in self._counts.most_common(SHOWN))
            logger.warning("connections closed: %s", told)
            self._counts.clear()
            asyncio.get_running_loop().call_later(PAUSE, self._log)
