"""Divides the descriptors of the process between the connections of its ports and everything else that it opens."""

import os
import resource
from contextlib import suppress
from dataclasses import dataclass
from math import nan

RESERVED = 40  # for the store (20 on PostgreSQL), listening sockets, pollers, standard streams
AT_REST = 20  # that a server has open without connections
OPEN = "/proc/self/fd"
LEAST = 4  # connections of a port, however few descriptors there are
MOST = 500  # connections of a port, however many descriptors there are: each takes up to 100 KB


@dataclass(frozen=True, slots=True)
class Connections:
    """How many connections each port may have at once.

    Attributes:
        callers: of the gRPC port.
        browsers: of the page; 0 if there is none.
    """

    callers: int
    browsers: int

    @property
    def crowded(self) -> int:
        """The number of open descriptors with which one of the ports may be full."""
        return AT_REST + min(filter(None, (self.callers, self.browsers)))


def open_descriptors() -> float:
    """Return how many descriptors this process has open; NaN where the system does not say."""
    try:
        return len(os.listdir(OPEN))  # noqa: PTH208  # a count is all that is wanted
    except OSError:
        return nan


def take_descriptors() -> None:
    """Let this process open as many files and connections as the system permits; where it sets no limit, enough.

    macOS sets none, and refuses to be asked for that.
    """
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MOST + RESERVED if most == resource.RLIM_INFINITY else most
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def connections(*, page: bool) -> Connections:
    """Divide the descriptors that this process may open: beside what is reserved, half for each port.

    Args:
        page: whether there is a port for browsers.
    """
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    left = descriptors - RESERVED if descriptors >= 0 else 2 * MOST
    browsers = min(max(left // 2, LEAST), MOST) if page else 0
    return Connections(min(max(left - browsers, LEAST), MOST), browsers)
