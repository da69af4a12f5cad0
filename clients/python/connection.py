"""The connection of a client to its server: channel, TLS, token."""

import json
import os
import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Any, NamedTuple

import grpc

from clerestory.addresses import is_loopback, is_port
from clerestory.clients.errors import BadConnection
from clerestory.metadata import LANGUAGES, bearer
from clerestory.pem import holds_certificates, is_pair

SPREAD = {
    "loadBalancingConfig": [{"round_robin": {}}],
    "healthCheckConfig": {"serviceName": ""},
}  # for a target of several servers: calls go to each in turn, except those that are down or shutting down
# How much may be buffered for a slow reader of a stream: a few tables, so that the next one is nearly the latest.
NARROW: list[tuple[str, str | int]] = [("grpc.http2.lookahead_bytes", 8192), ("grpc.http2.bdp_probe", 0)]
# How soon a restarted server is found again (milliseconds): the interval and timeout of connection attempts;
# pings of a silent connection while a call waits, half as often as our server allows, and how long the other machine
# and the server itself may take to acknowledge them; repeated name lookups. Without calls, a connection is closed
# before our server does, because gRPC then logs a line on standard error.
RECONNECT: list[tuple[str, str | int]] = [
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 500),
    ("grpc.min_reconnect_backoff_ms", 2_000),
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.client_idle_timeout_ms", 45_000),
    ("grpc.dns_min_time_between_resolutions_ms", 1_000),
]
SILENCE = 40.0  # seconds; our server shows every 15 s that a stream of a game lives
TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")  # of a language, BCP 47
PREFIX = re.compile(r"^(dns|ipv4|ipv6):(//[^/]*/)?")  # of a target, before its addresses
URLS = ("http://", "https://")
OTHER = ("unix:", "unix-abstract:", "vsock:", "xds:")  # targets without a port of TCP
PORTED = re.compile(r"(?P<host>[^:/\[\]]+|\[[^]]*\]):(?P<port>[^:/]*)")
FORMS = {"ipv4": "ADDRESS:PORT", "ipv6": "[ADDRESS]:PORT"}  # of the addresses in a target that may be a list of them
PROXIES = ("grpc_proxy", "https_proxy", "http_proxy")  # environment variables that gRPC reads, the first that is set
NO_PROXY: tuple[str, int] = ("grpc.enable_http_proxy", 0)
NAMED_HERE = re.compile(r"^(dns|ipv4|ipv6):(///)?")  # PREFIX without a name server


@dataclass(frozen=True, slots=True)
class Tls:
    """How to trust a server, and to be trusted by it.

    Attributes:
        ca: file with the certificates to trust; None: those that come with gRPC.
        cert: file with the client's own certificate, for servers that require one; `key` belongs to it.
        key: file with its key.
    """

    ca: str | Path | None = None
    cert: str | Path | None = None
    key: str | Path | None = None

    def credentials(self) -> grpc.ChannelCredentials:
        """Return what gRPC needs. Raises BadConnection."""
        if (self.cert is None) != (self.key is None):
            raise BadConnection("tls", "cert and key must be given together")
        authorities, certificate = read_certificates("tls.ca", self.ca), read_certificates("tls.cert", self.cert)
        key = read_secret("tls.key", self.key)
        self._require_pair()
        return grpc.ssl_channel_credentials(authorities, key, certificate)

    def _require_pair(self) -> None:
        """Raise BadConnection unless the key matches the certificate; skip pipes, which can be read only once."""
        if self.cert is None or self.key is None or not (Path(self.cert).is_file() and Path(self.key).is_file()):
            return
        if not is_pair(self.cert, self.key):
            raise BadConnection("tls.key", f"{self.key} is not the key of {self.cert}, in PEM and not encrypted")


class Connection(NamedTuple):
    """What a channel is made from, and how its calls are retried.

    Attributes:
        target: of the channel.
        credentials: None for plaintext.
        options: of the channel.
        metadata: of every call.
        retries: whether a call may be tried again.
        patience: seconds that a call waits for a server that is down, None for until its deadline.
        silence: seconds without a sign of the server after which a watched game is asked for again.
        proxy: name of the environment variable with the proxy on the way, "" for none.
    """

    target: str
    credentials: grpc.ChannelCredentials | None
    options: list[tuple[str, str | int]]
    metadata: tuple[tuple[str, str], ...]
    retries: bool
    patience: float | None
    silence: float = SILENCE
    proxy: str = ""

    @property
    def language(self) -> str | None:
        """The tag of the language for people; None if no call asks for one."""
        return dict(self.metadata).get(LANGUAGES)

    def channel(self, kind: Any) -> Any:
        """Return a channel to the server, of `grpc` or of `grpc.aio`."""
        if self.credentials is None:
            return kind.insecure_channel(self.target, self.options)
        return kind.secure_channel(self.target, self.credentials, self.options)


def dial(
    target: str,
    token: str | None,
    tls: Tls | bool | None,
    retries: bool,
    patience: float | None = None,
    language: str | None = None,
    silence: float = SILENCE,
) -> Connection:
    """Return what a channel is made from. Raises BadConnection."""
    require_text("target", target, "HOST:PORT or unix:PATH")
    if not target:
        raise BadConnection("target", "is empty")
    if target.startswith(URLS):
        raise BadConnection("target", f"{target!r} is a URL; give HOST:PORT alone")
    require_addresses(target)
    wanted = trusted(tls)
    if token is not None:
        check_token(target, token, wanted)
    if patience is not None and not (isinstance(patience, (int, float)) and patience >= 0):
        raise BadConnection("patience", f"{patience!r} is not a number of seconds from 0 up")
    if not (isinstance(silence, (int, float)) and silence > 0):
        raise BadConnection("silence", f"{silence!r} is not a number of seconds above 0")
    if not isinstance(retries, bool):
        raise BadConnection("retries", f"{retries!r:.80} is not True or False")
    options = [("grpc.enable_retries", int(retries)), *NARROW, *RECONNECT]
    if "," in target:
        options.append(("grpc.service_config", json.dumps(SPREAD)))
    proxy = proxy_variable(target)
    if not proxy:
        options.append(NO_PROXY)
    credentials = None if wanted is None else wanted.credentials()
    metadata = (*bearer(token), *accepted_language(language))
    return Connection(target, credentials, options, metadata, retries, patience, silence, proxy)


def proxy_variable(target: str) -> str:
    """Return the environment variable with the proxy that gRPC uses for a target, "" for none, as on this machine."""
    return "" if is_local(target) else next((name for name in PROXIES if os.environ.get(name)), "")


def trusted(tls: Tls | bool | None) -> Tls | None:
    """Return how to trust a server, None for plaintext. Raises BadConnection, which quotes nothing: it may be a key."""
    if tls is None or isinstance(tls, bool):
        return Tls() if tls else None
    if not isinstance(tls, Tls):
        ways = "True for the usual authorities, Tls(ca=FILE) for others, None for plaintext"
        raise BadConnection("tls", f"is of type {type(tls).__name__}; give {ways}")
    return tls


def require_text(field: str, value: object, wanted: str) -> None:
    """Raise BadConnection for what is no text."""
    if not isinstance(value, str):
        raise BadConnection(field, f"is of type {type(value).__name__}; give {wanted}")


def require_addresses(target: str) -> None:
    """Raise BadConnection for what gRPC would look up as one name in vain, or cannot call."""
    if target.startswith(OTHER):
        return
    family, addresses = target.partition(":")[0], PREFIX.sub("", target, count=1).split(",")
    for address in addresses:
        require_port(address)
        if family in FORMS and not is_of(family, address):
            raise BadConnection("target", f"{address!r} is not {FORMS[family]} in figures, as {family}: requires")
    if len(addresses) > 1 and family not in FORMS:
        ways = " or ".join(f"{name}:{form},{form}" for name, form in FORMS.items())
        raise BadConnection("target", f"{target!r} is a list; give {ways}")


def require_port(address: str) -> None:
    """Raise BadConnection for a port that there is not: of 65536 and more gRPC would call another one."""
    found = PORTED.fullmatch(address)
    if found and not (is_port(found["port"]) and int(found["port"])):
        raise BadConnection("target", f"the port of {address!r} is not a number from 1 to 65535")


def is_of(family: str, address: str) -> bool:
    """Whether an address has a port, and is in figures one of a family."""
    found = PORTED.fullmatch(address)
    host = found["host"] if found else ""
    try:
        return bool(IPv4Address(host) if family == "ipv4" else IPv6Address(host[1:-1]))
    except ValueError:
        return False


def is_local(target: str) -> bool:
    """Whether a target leads to no other machine, whichever of its addresses is called."""
    return target.startswith("unix:") or all(map(is_here, NAMED_HERE.sub("", target, count=1).split(",")))


def is_here(address: str) -> bool:
    """Whether an address, with a port or without, is of this machine."""
    found = PORTED.fullmatch(address)
    return is_loopback((found["host"] if found else address).lower())


def accepted_language(language: str | None) -> tuple[tuple[str, str], ...]:
    """Return the metadata that ask for a language, () for None. Raises BadConnection."""
    if language is not None and not (isinstance(language, str) and TAG.fullmatch(language)):
        raise BadConnection("language", f"{str(language)[:80]!r} is no tag of a language, such as it or pt-BR")
    return () if language is None else ((LANGUAGES, language),)


def check_token(target: str, token: str, tls: Tls | None) -> None:
    """Raise BadConnection for a token that cannot be sent, or that others could read."""
    require_text("token", token, "a text")
    if not token or not (token.isascii() and token.isprintable()) or " " in token:
        raise BadConnection("token", "is not one word of printable ASCII")
    if tls is None and not is_local(target):
        raise BadConnection("tls", f"is missing: the token would travel in plaintext to {target}")


def read_certificates(field: str, path: str | Path | None) -> bytes | None:
    """Return the content of a file of certificates. Raises BadConnection."""
    content = read_secret(field, path)
    if content is not None and not holds_certificates(content):
        raise BadConnection(field, f"{path} holds no certificate in PEM")
    return content


def read_secret(field: str, path: str | Path | None) -> bytes | None:
    """Return the content of a file. Raises BadConnection."""
    if path is not None and not isinstance(path, (str, Path)):
        raise BadConnection(field, f"is of type {type(path).__name__}; give the path of a PEM file")
    try:
        return None if path is None else Path(path).read_bytes()
    except OSError as error:
        raise BadConnection(field, f"{path}: {error.strerror}") from None
