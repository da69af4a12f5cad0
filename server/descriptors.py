"""Divides the process's file descriptors between the connections of its ports and everything else."""

import os
import resource
from contextlib import suppress
from dataclasses import dataclass
from math import nan

RESERVED = 40  # for the store (20 on PostgreSQL), listening sockets, pollers, standard streams
AT_REST = 20  # open in a server without connections
OPEN = "/proc/self/fd"
LEAST = 4  # minimum connections of a port
MOST = 500  # maximum connections of a port: each takes up to 100 KB


@dataclass(frozen=True, slots=True)
class Connections:
    """How many connections each port may have.

    Attributes:
        callers: on the gRPC port.
        browsers: on the gateway's port; 0 if there is none.
    """

    callers: int
    browsers: int

    @property
    def crowded(self) -> int:
        """The number of open descriptors at which one of the ports may be full."""
        return AT_REST + min(filter(None, (self.callers, self.browsers)))


def open_descriptors() -> float:
    """Return how many descriptors this process has open; NaN where the system does not report it."""
    try:
        return len(os.listdir(OPEN))  # noqa: PTH208  # only the count is needed
    except OSError:
        return nan


def take_descriptors() -> None:
    """Raise the soft limit on file descriptors to the hard limit, or to the needed number if there is none.

    macOS has no hard limit, but rejects an unlimited soft limit.
    """
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MOST + RESERVED if most == resource.RLIM_INFINITY else most
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def connections(*, page: bool) -> Connections:
    """Divide the available descriptors: reserve some, and give half of the rest to each port.

    Args:
        page: whether there is a gateway for browsers.
    """
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    left = descriptors - RESERVED if descriptors >= 0 else 2 * MOST
    browsers = min(max(left // 2, LEAST), MOST) if page else 0
    return Connections(min(max(left - browsers, LEAST), MOST), browsers)
