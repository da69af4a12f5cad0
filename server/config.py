"""The settings of a server, checked when they are made."""

import ipaddress
import os
from dataclasses import MISSING, dataclass
from pathlib import Path

from clerestory.advice.places import TOGETHER
from clerestory.advice.question import LONGEST_TIME
from clerestory.declared import COUNT, NOT_NEGATIVE, Numbers, Words, declared, faults
from clerestory.search.ismcts import DEFAULT_MAX_BYTES, MIN_BYTES

MAX_MESSAGE_BYTES = 64 * 1024  # any position fits; a larger message is refused
MIN_TREE_BYTES = 1 << 20
MAX_IDLE = 86_400.0  # seconds
MEMORY, USER = "memory:", "user:"  # stores of games: in memory only, and in the user's data folder
SOCKETS = ("listen", "admin")  # addresses that may be unix:PATH; HTTP is served over TCP alone


class BadSettings(ValueError):
    """A setting is out of its range; the message names it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a server, each with its meaning and range: options, environment, help and docs follow from them.

    Raises BadSettings.
    """

    listen: str = declared("127.0.0.1:50051", "`HOST:PORT` (port 0: any free one) or `unix:PATH`")
    workers: int = declared(
        MISSING,
        "threads that search, at a lower priority than the event loop",
        COUNT,
        factory=lambda: os.cpu_count() or 1,
        usual="cores",
    )
    max_searches: int = declared(
        64,
        "concurrent searches of one [caller](#callers), including waiting ones; at most half of them may be hints"
        " (`Analyze`). With seats or games a caller may have [half as many again](#admission), all callers together"
        " twice as many",
        COUNT,
    )
    min_iterations: int = declared(
        250, "iterations that every search gets before its deadline; one that could not have them is refused", COUNT
    )
    max_threads: int = declared(
        16, "trees of one search; more are reduced to this, and to the number of workers", COUNT
    )
    max_time: float = declared(
        60.0, "longest search, in seconds; a larger budget is reduced", Numbers(0, LONGEST_TIME, above=True)
    )
    max_tree_bytes: int = declared(
        DEFAULT_MAX_BYTES,
        "bytes of one search's trees, at least 1 MiB; more is reduced to this",
        Numbers(MIN_TREE_BYTES, whole=True),
        size=True,
    )
    memory: int = declared(1 << 30, "bytes of the trees of all running searches together", size=True)
    warm_bytes: int = declared(
        256 << 20,
        "bytes of trees kept for the next request about the same game; 0 keeps none",
        NOT_NEGATIVE,
        size=True,
    )
    margin: float = declared(
        0.02, "seconds reserved before the deadline of a call, for sending the answer", NOT_NEGATIVE
    )
    drain_delay: float = declared(
        0.0,
        "seconds between reporting `NOT_SERVING` and ending searches, for a load balancer to notice",
        NOT_NEGATIVE,
    )
    grace: float = declared(
        5.0,
        "seconds from then to the end: running calls have three quarters of them, the store has what is left",
        NOT_NEGATIVE,
    )
    idle_timeout: float = declared(
        60.0, "seconds after which a [connection](#connections) without calls is closed", Numbers(1, MAX_IDLE)
    )
    store: str = declared(
        MEMORY,
        "file in which [games](games.md) are kept; `user:` is `clerestory/games.sqlite` in the user's data folder,"
        " `memory:` keeps them until the server ends, `postgresql://...` is a database that"
        " [several servers share](hosting.md#several-servers)",
    )
    max_games: int = declared(100_000, "unfinished games kept; further ones are refused", COUNT)
    max_games_each: int = declared(10_000, "unfinished games of one [caller](#callers)", COUNT)
    max_games_a_minute: int = declared(
        600,
        "new games of one caller in a minute, or at once after a minute without any; further ones are refused, with"
        " the time to wait",
        COUNT,
    )
    max_bytes_each: int = declared(
        4 << 30,
        "bytes that the games of one caller, finished or not, take in the store; then it can make no more",
        COUNT,
        size=True,
    )
    max_bot_games: int = declared(
        16, "games of bots only in which the server moves at a time; the others take turns", COUNT
    )
    forget_games_after: float = declared(
        0.0, "days without a call after which a game is deleted, over or not; 0 keeps all", NOT_NEGATIVE
    )
    max_watchers: int = declared(100, "streams that watch one game; further ones are refused", COUNT)
    admin: str = declared("", "`HOST:PORT` or `unix:PATH` of a second port, with channelz, health and reflection")
    metrics: str = declared("", "`HOST:PORT` where the metrics are served over HTTP")
    insecure: bool = declared(
        False, "let other machines reach ports without TLS: the main one in plaintext, `--admin` and `--metrics`"
    )
    tls_cert: Path | None = declared(
        None,
        "file with the server's certificate chain (PEM); plaintext is then refused. Like the next three it is read"
        " again [on SIGHUP](#tls-and-tokens)",
    )
    tls_key: Path | None = declared(None, "file with the private key of `--tls-cert` (PEM, not encrypted)")
    tls_client_ca: Path | None = declared(
        None, "file with certificate authorities (PEM); clients must then present a certificate from one of them"
    )
    token_file: Path | None = declared(None, "file with bearer tokens, one of which every call must then carry")

    def __post_init__(self) -> None:
        for name, fault in faults(self):
            raise BadSettings(f"{name}: {fault}")
        least = 2 * TOGETHER * self.max_searches * MIN_BYTES
        if self.memory < least:
            raise BadSettings(f"memory: {self.memory} is less than {least}, the least for {self.max_searches} searches")
        for name in ("listen", "admin", "metrics"):
            self._require_privacy(name)
        for name, other in (("tls_cert", "tls_key"), ("tls_key", "tls_cert"), ("tls_client_ca", "tls_cert")):
            if getattr(self, name) is not None and getattr(self, other) is None:
                raise BadSettings(f"{name}: is of no use without {other}")

    def _require_privacy(self, name: str) -> None:
        """Raise BadSettings for an address that other machines can reach in plaintext, unless `insecure` allows it."""
        address = getattr(self, name)
        main = name == "listen"
        if (not main and not address) or is_local(name, address) or self.insecure:
            return
        if main and self.tls_cert is not None:
            return
        what = ", tokens and all" if main and self.token_file is not None else ""
        remedy = "give it tls_cert and tls_key, or allow it with insecure" if main else "allow it with insecure"
        raise BadSettings(f"{name}: {address} is open to other machines, in plaintext{what}; {remedy}")


@dataclass(frozen=True, slots=True)
class LogSettings:
    """What a process writes to its log. Raises BadSettings."""

    log_format: str = declared("text", "`text` for people, `json` for machines", Words(("json", "text")))
    log_level: str = declared(
        "info",
        "`debug`, `info`, `warning` or `error`; calls are logged at `info`",
        Words(("debug", "info", "warning", "error")),
    )

    def __post_init__(self) -> None:
        for name, fault in faults(self):
            raise BadSettings(f"{name}: {fault}")


def is_local(name: str, address: str) -> bool:
    """Whether only this machine can reach an address. Raises BadSettings if it is not an address."""
    if name in SOCKETS and address.startswith("unix:"):
        return True
    host = split_address(name, address, " nor unix:PATH" if name in SOCKETS else "")
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


def read_file(name: str, path: Path) -> bytes:
    """Return the content of a file named by a setting. Raises BadSettings."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadSettings(f"{name}: {path} cannot be read: {error.strerror}") from None
