"""The settings of a server, checked when they are made."""

import ipaddress
import os
from dataclasses import dataclass, field

from clerestory.search.ismcts import DEFAULT_MAX_BYTES

MAX_MESSAGE_BYTES = 64 * 1024  # any position fits; nothing larger is read
MIN_TREE_BYTES = 1 << 20


class BadSettings(ValueError):
    """A setting is out of its range; the message names it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What can be chosen when a server starts.

    Attributes:
        listen: `HOST:PORT` (port 0: any free one) or `unix:PATH`.
        workers: threads that search.
        max_searches: searches under way at once, of which hints may be half; one more is refused.
        min_iterations: that every search has before its deadline; one that could not is refused.
        max_threads: trees of one search; more are cut to that, and to the number of workers.
        max_time: longest search, in seconds; a larger budget is cut to it.
        max_tree_bytes: memory of one search's trees.
        margin: seconds kept back from the caller's deadline, for the way of the answer.
        drain_delay: seconds between saying NOT_SERVING and ending searches, for balancers to notice.
        grace: seconds that calls in progress have after that.
        admin: `HOST:PORT` or `unix:PATH` of a second server with channelz, health and reflection; "" for none.
        metrics: `HOST:PORT` where figures are shown over HTTP; "" for none.
        insecure: accept plaintext from other machines.

    Raises BadSettings.
    """

    listen: str = "127.0.0.1:50051"
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    max_searches: int = 64
    min_iterations: int = 250
    max_threads: int = 16
    max_time: float = 60.0
    max_tree_bytes: int = DEFAULT_MAX_BYTES
    margin: float = 0.02
    drain_delay: float = 0.0
    grace: float = 5.0
    admin: str = ""
    metrics: str = ""
    insecure: bool = False

    def __post_init__(self) -> None:
        for name in ("workers", "max_searches", "min_iterations", "max_threads", "max_time"):
            if not getattr(self, name) > 0:
                raise BadSettings(f"{name}: {getattr(self, name)} is not greater than 0")
        for name in ("margin", "drain_delay", "grace"):
            if not getattr(self, name) >= 0:
                raise BadSettings(f"{name}: {getattr(self, name)} is less than 0")
        if self.max_tree_bytes < MIN_TREE_BYTES:
            raise BadSettings(f"max_tree_bytes: {self.max_tree_bytes} is less than {MIN_TREE_BYTES}")
        for name in ("listen", "admin"):
            address = getattr(self, name)
            if (address or name == "listen") and not is_local(name, address) and not self.insecure:
                raise BadSettings(f"{name}: {address} is open to other machines, in plaintext; allow it with insecure")
        if self.metrics:
            split_address("metrics", self.metrics)


def is_local(name: str, address: str) -> bool:
    """Whether only this machine can reach an address. Raises BadSettings for what is no address."""
    if address.startswith("unix:"):
        return True
    host = split_address(name, address, " nor unix:PATH")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def split_address(name: str, address: str, other: str = "") -> str:
    """Return the host of `HOST:PORT`. Raises BadSettings for anything else."""
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isascii() and port.isdigit() and int(port) < 65536):
        raise BadSettings(f"{name}: {address!r} is {'neither' if other else 'not'} HOST:PORT{other}")
    return host
