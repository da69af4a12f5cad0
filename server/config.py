"""The settings of a server, checked when they are made."""

import ipaddress
import os
from dataclasses import dataclass, field
from pathlib import Path

from clerestory.advice.places import TOGETHER
from clerestory.search.ismcts import DEFAULT_MAX_BYTES, MIN_BYTES

MAX_MESSAGE_BYTES = 64 * 1024  # any position fits; a larger message is refused
MIN_TREE_BYTES = 1 << 20
MAX_IDLE = 86_400.0  # seconds
LONGEST_TIME = 24 * 3600.0  # seconds: the most that a setting, or a caller, may give a search
MEMORY, USER = "memory:", "user:"  # stores of games: in memory only, and in the user's data folder
SOCKETS = ("listen", "admin")  # addresses that may be unix:PATH; HTTP is served over TCP alone


class BadSettings(ValueError):
    """A setting is out of its range; the message names it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a server.

    Attributes:
        listen: `HOST:PORT` (port 0: any free one) or `unix:PATH`.
        workers: threads that search.
        max_searches: searches of one caller under way at once, of which hints may be half; one more is refused. With
            seats or games it may have half as many again, and all callers together twice as many.
        min_iterations: that every search gets before its deadline; one that could not is refused.
        max_threads: trees of one search; more are cut to that, and to the number of workers.
        max_time: longest search, in seconds, LONGEST_TIME at most; a larger budget is cut to it.
        max_tree_bytes: memory of one search's trees.
        memory: of all trees of searches under way; half of it is kept for equal shares of all.
        warm_bytes: memory of the trees kept for the next question of their game; 0 keeps none.
        margin: seconds between the end of the budget and the caller's deadline, for the answer's way back.
        drain_delay: seconds between saying NOT_SERVING and ending searches, for balancers to notice.
        grace: seconds that calls in progress get after that.
        idle_timeout: seconds after which a connection without calls is closed, at least 1.
        admin: `HOST:PORT` or `unix:PATH` of a second server with channelz, health and reflection; "" for none.
        metrics: `HOST:PORT` where figures are shown over HTTP; "" for none.
        insecure: let other machines reach ports without TLS: `listen` in plaintext, `admin` and `metrics`.
        tls_cert: file of the server's certificate chain in PEM.
        tls_key: file of its key; the two go together, None for plaintext.
        tls_client_ca: file of the authorities whose certificates clients must show, None if they need none.
        store: file in which games are kept; `user:` for one in the user's data folder, `memory:` for none; or the
            address of a PostgreSQL database, `postgresql://...`, which several servers may share.
        max_games: that have not ended; one more is refused.
        max_games_each: that have not ended and one caller has made.
        max_games_a_minute: that one caller makes; one more is refused, unless it has made fewer in the last minutes.
        max_bytes_each: of the games, finished or not, that one caller has made; then it may make no more.
        max_bot_games: games of bots only in which the server moves at a time.
        forget_games_after: days without a call after which a game is deleted; 0 for never.
        max_watchers: of one game; one more is refused.
        token_file: file of bearer tokens, one of which every call must bring; None if calls need none.

    Raises BadSettings.
    """

    listen: str = "127.0.0.1:50051"
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    max_searches: int = 64
    min_iterations: int = 250
    max_threads: int = 16
    max_time: float = 60.0
    max_tree_bytes: int = DEFAULT_MAX_BYTES
    memory: int = 1 << 30
    warm_bytes: int = 256 << 20
    margin: float = 0.02
    drain_delay: float = 0.0
    grace: float = 5.0
    idle_timeout: float = 60.0
    store: str = MEMORY
    max_games: int = 100_000
    max_games_each: int = 10_000
    max_games_a_minute: int = 600
    max_bytes_each: int = 4 << 30
    max_bot_games: int = 16
    forget_games_after: float = 0.0
    max_watchers: int = 100
    admin: str = ""
    metrics: str = ""
    insecure: bool = False
    tls_cert: Path | None = None
    tls_key: Path | None = None
    tls_client_ca: Path | None = None
    token_file: Path | None = None

    def __post_init__(self) -> None:
        for name in (
            "workers",
            "max_searches",
            "min_iterations",
            "max_threads",
            "max_time",
            "max_games",
            "max_games_each",
            "max_games_a_minute",
            "max_bytes_each",
            "max_bot_games",
            "max_watchers",
        ):
            if not getattr(self, name) > 0:
                raise BadSettings(f"{name}: {getattr(self, name)} is not greater than 0")
        for name in ("warm_bytes", "margin", "drain_delay", "grace", "forget_games_after"):
            if not getattr(self, name) >= 0:
                raise BadSettings(f"{name}: {getattr(self, name)} is less than 0")
        if self.max_time > LONGEST_TIME:
            raise BadSettings(f"max_time: {self.max_time} is greater than {LONGEST_TIME:.0f}")
        if not 1 <= self.idle_timeout <= MAX_IDLE:
            raise BadSettings(f"idle_timeout: {self.idle_timeout} is not 1 to {MAX_IDLE} seconds")
        if self.max_tree_bytes < MIN_TREE_BYTES:
            raise BadSettings(f"max_tree_bytes: {self.max_tree_bytes} is less than {MIN_TREE_BYTES}")
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
