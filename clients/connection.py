"""How a client reaches its server: channel, retries, TLS, token."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import grpc

from clerestory.clients.errors import BadConnection

ATTEMPTS = 4  # of a call that the server turned away or never got
RETRIES = {
    "methodConfig": [
        {
            "name": [{"service": "clerestory.v1.AdvisorService"}, {"service": "clerestory.v1.RulesService"}],
            "retryPolicy": {
                "maxAttempts": ATTEMPTS,
                "initialBackoff": "0.1s",
                "maxBackoff": "2s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE", "RESOURCE_EXHAUSTED", "CANCELLED"],  # by a server that ends
            },
        }
    ]
}  # a server that says when to come again (grpc-retry-pushback-ms) is obeyed instead of the backoff
SPREAD = {
    "loadBalancingConfig": [{"round_robin": {}}],
    "healthCheckConfig": {"serviceName": ""},
}  # for a target of several servers: calls go to each in turn, except those that are away or finish
# What may be on its way to a slow reader of a stream: a few tables, so that the next one is nearly the latest.
NARROW: list[tuple[str, str | int]] = [("grpc.http2.lookahead_bytes", 8192), ("grpc.http2.bdp_probe", 0)]
LOCAL = ("unix:", "localhost", "127.", "[::1]", "ipv4:127.", "ipv6:[::1]")


@dataclass(frozen=True, slots=True)
class Tls:
    """How to trust a server, and to be trusted by it.

    Attributes:
        ca: file with the certificates to trust; None: those that come with gRPC.
        cert: file with the client's own certificate, for servers that want one; `key` belongs to it.
        key: file with its key.
    """

    ca: str | Path | None = None
    cert: str | Path | None = None
    key: str | Path | None = None

    def credentials(self) -> grpc.ChannelCredentials:
        """Return what gRPC needs. Raises BadConnection."""
        if (self.cert is None) != (self.key is None):
            raise BadConnection("tls", "cert and key belong together")
        return grpc.ssl_channel_credentials(
            read_secret("tls.ca", self.ca), read_secret("tls.key", self.key), read_secret("tls.cert", self.cert)
        )


class Dialled(NamedTuple):
    """What a channel is made of; `credentials` is None for plaintext."""

    target: str
    credentials: grpc.ChannelCredentials | None
    options: list[tuple[str, str | int]]
    metadata: tuple[tuple[str, str], ...]


def dial(target: str, token: str | None, tls: Tls | bool | None, retries: bool) -> Dialled:
    """Return what a channel is made of. Raises BadConnection."""
    if not target:
        raise BadConnection("target", "is empty")
    wanted = Tls() if tls is True else tls or None
    if token is not None:
        check_token(target, token, wanted)
    options: list[tuple[str, str | int]] = [("grpc.enable_retries", int(retries)), *NARROW]
    if config := (RETRIES if retries else {}) | (SPREAD if "," in target else {}):
        options.append(("grpc.service_config", json.dumps(config)))
    metadata = () if token is None else (("authorization", f"Bearer {token}"),)
    return Dialled(target, None if wanted is None else wanted.credentials(), options, metadata)


def check_token(target: str, token: str, tls: Tls | None) -> None:
    """Raise BadConnection for a token that cannot be sent, or that others could read."""
    if not token or not (token.isascii() and token.isprintable()) or " " in token:
        raise BadConnection("token", "is not one word of printable ASCII")
    if tls is None and not target.startswith(LOCAL):
        raise BadConnection("token", f"would travel in plaintext to {target}; use tls")


def read_secret(field: str, path: str | Path | None) -> bytes | None:
    """Return what a file holds. Raises BadConnection."""
    try:
        return None if path is None else Path(path).read_bytes()
    except OSError as error:
        raise BadConnection(field, f"{path}: {error.strerror}") from None
