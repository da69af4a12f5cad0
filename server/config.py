"""The settings of the gRPC server, validated on construction."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from clerestory.addresses import is_loopback, is_port
from clerestory.declared import COUNT, NOT_NEGATIVE, BadSettings, Numbers, OneOf, declared, require_ranges
from clerestory.server.analysis.capacity import Capacity
from clerestory.server.games.bounds import MEMORY

MAX_MESSAGE_BYTES = 64 * 1024  # any position fits; larger messages are rejected
MAX_IDLE = 86_400.0  # seconds
COLLECTOR = re.compile(r"https?://[^/@\s]+:(\d{1,5})/?", re.ASCII)
CONTACT = re.compile(r"mailto:[!-~]+@[!-~]+|https://[!-~]+")
IN_BRACKETS = re.compile(r"\[[^][]+\]")
REQUIRED = {  # settings that need another one
    "tls_cert": "tls_key",
    "tls_key": "tls_cert",
    "tls_client_ca": "tls_cert",
    "webhook": "webhook_key",
    "webhook_key": "webhook",
    "webhook_private": "webhook",
    "push_key": "push_contact",
    "push_contact": "push_key",
}
SOCKETS = ("listen", "admin")  # settings that accept unix:PATH; HTTP is served over TCP only


@dataclass(frozen=True, slots=True)
class Settings(Capacity):
    """The settings of the server. The declarations also produce the options, environment variables, help and docs.

    Raises BadSettings.
    """

    listen: str = declared("127.0.0.1:50051", "`HOST:PORT` (port 0: any free one) or `unix:PATH`")
    drain_delay: float = declared(
        0.0,
        "seconds between reporting `NOT_SERVING` and ending searches, for a load balancer to notice",
        NOT_NEGATIVE,
    )
    grace: float = declared(
        5.0,
        "seconds from the end of the searches to the end of the process: three quarters for answers, the rest for the"
        " store",
        NOT_NEGATIVE,
    )
    idle_timeout: float = declared(
        60.0,
        "seconds after which a [connection](operations.md#connections) without calls is closed",
        Numbers(1, MAX_IDLE),
    )
    behind_proxy: bool = declared(
        False,
        "all calls come through a reverse proxy such as that of `deploy/envoy.yaml`, which enforces"
        " [limits per connection and address](hardening.md)",
    )
    store: str = declared(
        MEMORY,
        "file in which [games](games.md) are stored; `user:` is `clerestory/games.sqlite` in the user's data folder,"
        " `memory:` stores them until the server ends, `postgresql://...` is a database that"
        " [several servers share](hosting.md#several-servers)",
    )
    max_games: int = declared(100_000, "unfinished games stored; further ones are rejected", COUNT)
    max_games_each: int = declared(10_000, "unfinished games of one [caller](operations.md#callers)", COUNT)
    max_games_a_minute: int = declared(
        600,
        "new games of one caller per minute; further ones are rejected, with a retry delay",
        COUNT,
    )
    max_bytes_each: int = declared(
        4 << 30,
        "bytes in the store for the games of one caller, finished or not; beyond this, it cannot create games",
        COUNT,
        size=True,
    )
    max_bot_games: int = declared(
        16, "games between bots that are played at the same time; further ones wait their turn", COUNT
    )
    game_retention_days: float = declared(
        0.0, "days without access after which a game is deleted, whether it is over or not; 0: never", NOT_NEGATIVE
    )
    max_watchers: int = declared(100, "streams that watch one game with equal tokens; further ones are rejected", COUNT)
    webhook: str = declared(
        "",
        "`https://HOST/PATH`, to which the server posts a [notice](games.md#your-turn-notices) whenever a person's turn"
        " begins; `http://` at a loopback address with `--webhook-private`, elsewhere with `--insecure`",
    )
    webhook_key: Path | None = declared(
        None, "file with the key that signs these notices: 24 to 64 bytes in base64, perhaps after `whsec_`"
    )
    webhook_private: bool = declared(False, "let `--webhook` name a host at a loopback or private address")
    seat_webhooks: str = declared(
        "none",
        "which hosts the program of a seat may name for [notices of its turns](games.md#your-turn-notices): `none`,"
        " `public` over HTTPS, or `any`, also at loopback and private addresses",
        OneOf(("none", "public", "any")),
    )
    push_key: Path | None = declared(
        None,
        "file with a private key of P-256 (PEM), which signs push messages: players can then let their browsers"
        " [notify them](hosting.md#notifications-in-the-browser) of their turns; needs `clerestory[push]`",
    )
    push_contact: str = declared(
        "", "`mailto:ADDRESS` or `https://HOST/PATH`, by which operators of push services can reach you"
    )
    admin: str = declared(
        "",
        "`HOST:PORT` or `unix:PATH` of a second port for operators, with gRPC's channelz, health and reflection,"
        " answered by threads of its own",
    )
    metrics: str = declared("", "`HOST:PORT` where the metrics are served over HTTP")
    tracing: str = declared(
        "",
        "`http://HOST:PORT` or `https://HOST:PORT` of an OpenTelemetry collector, to which"
        " [traces](operations.md#traces) are sent over gRPC; needs `clerestory[tracing]`",
    )
    insecure: bool = declared(
        False, "let other machines reach ports without TLS: the main one in plaintext, `--admin` and `--metrics`"
    )
    tls_cert: Path | None = declared(
        None,
        "file with the server's certificate chain (PEM); plaintext is then rejected. Like the next three it is read"
        " again [on SIGHUP](operations.md#tls-and-tokens)",
    )
    tls_key: Path | None = declared(None, "file with the private key of `--tls-cert` (PEM, not encrypted)")
    tls_client_ca: Path | None = declared(
        None, "file with certificate authorities (PEM); clients must then present a certificate from one of them"
    )
    token_file: Path | None = declared(None, "file with bearer tokens, one of which every call must then carry")

    def __post_init__(self) -> None:
        Capacity.__post_init__(self)
        for name in ("listen", "admin", "metrics"):
            self._require_privacy(name)
        found = COLLECTOR.fullmatch(self.tracing)
        if self.tracing and not (found and is_port(found[1])):
            raise BadSettings(f"tracing: {self.tracing!r} is neither http://HOST:PORT nor https://HOST:PORT")
        if self.webhook:
            self._require_webhook()
        if self.push_contact and not CONTACT.fullmatch(self.push_contact):
            raise BadSettings(f"push_contact: {self.push_contact!r} is neither mailto:ADDRESS nor https://HOST/PATH")
        for name, other in REQUIRED.items():
            if getattr(self, name) and not getattr(self, other):
                raise BadSettings(f"{name}: requires {other}")

    def _require_webhook(self) -> None:
        """Raise BadSettings for an address that notices cannot be posted to, or only in plaintext."""
        if fault := url_fault(self.webhook):
            raise BadSettings(f"webhook: {fault}")
        host = host_of(self.webhook)
        if is_loopback(host) and not self.webhook_private:
            raise BadSettings(f"webhook: {host} is this machine; allow it with --webhook-private")
        if self.webhook.startswith("http:") and not (is_loopback(host) or self.insecure):
            remedy = "use https, or allow it with --insecure"
            raise BadSettings(f"webhook: notices to {host} would not be encrypted; {remedy}")

    def _require_privacy(self, name: str) -> None:
        """Raise BadSettings if other machines can reach an address in plaintext, unless `insecure` allows it."""
        address = getattr(self, name)
        main = name == "listen"
        if (not main and not address) or is_local(name, address) or self.insecure:
            return
        if main and self.tls_cert is not None:
            return
        what = ", nor would their tokens" if main and self.token_file is not None else ""
        remedy = "give it --tls-cert and --tls-key, or allow it with --insecure" if main else "allow it with --insecure"
        raise BadSettings(f"{name}: calls from other machines to {address} would not be encrypted{what}; {remedy}")


@dataclass(frozen=True, slots=True)
class LogSettings:
    """What a process writes to its log. Raises BadSettings."""

    log_format: str = declared("text", "`text` for people, `json` for machines", OneOf(("json", "text")))
    log_level: str = declared(
        "info",
        "`debug`, `info`, `warning` or `error`; calls are logged at `info`",
        OneOf(("debug", "info", "warning", "error")),
    )

    def __post_init__(self) -> None:
        require_ranges(self)


def is_local(name: str, address: str) -> bool:
    """Return whether only this machine can reach an address. Raises BadSettings if it is not an address."""
    if name in SOCKETS and address.startswith("unix:") and address != "unix:":
        return True
    return is_loopback(split_address(name, address, " nor unix:PATH" if name in SOCKETS else ""))


def split_address(name: str, address: str, other: str = "") -> str:
    """Return the host of `HOST:PORT`. Raises BadSettings for anything else."""
    host, colon, port = address.rpartition(":")
    if not (host and colon and is_port(port)):
        raise BadSettings(f"{name}: {address!r} is {'neither' if other else 'not'} HOST:PORT{other}")
    if name in SOCKETS and ":" in host and not IN_BRACKETS.fullmatch(host):  # gRPC would parse all of it as an address
        raise BadSettings(f"{name}: {address!r}: an IPv6 address needs brackets, as in [::1]:50051")
    return host


def url_fault(url: str, schemes: Sequence[str] = ("https", "http")) -> str:
    """Return what is wrong with the address of a webhook, without quoting all of it; "" if nothing is."""
    allowed = " or ".join(f"{scheme}://HOST/PATH" for scheme in schemes)
    if strange := re.search(r"[^!-~]", url):
        return f"has {strange[0]!r}; only ASCII characters are allowed, without spaces (a name of a host in Punycode)"
    try:
        parts = urlsplit(url)
    except ValueError:
        return f"has wrong brackets in its host; must be {allowed}"
    if parts.scheme not in schemes or not url.lower().startswith(f"{parts.scheme}://"):
        return f"is not {allowed}"
    if parts.username is not None:
        return "has a user name or a password, which are not sent; leave them out"
    if not parts.hostname:
        return f"has no host; must be {allowed}"
    port = parts.netloc.rpartition("]")[2].partition(":")[2]
    if port and not (is_port(port) and int(port)):
        return f"has the port {port[:20]!r}; must be a number from 1 to 65535"
    return ""


def host_of(url: str) -> str:
    """Return the host of an address without a fault."""
    return urlsplit(url).hostname or ""


def read_file(name: str, path: Path) -> bytes:
    """Return the content of a file named by a setting. Raises BadSettings."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadSettings(f"{name}: {path} cannot be read: {error.strerror}") from None
