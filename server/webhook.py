"""Posts notices to an address of the operator, signed as in Standard Webhooks (standardwebhooks.com)."""

import asyncio
import base64
import binascii
import hmac
import ipaddress
import logging
import re
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from clerestory.declared import BadSettings
from clerestory.server.config import read_file
from clerestory.server.games.background import Seldom
from clerestory.server.games.notices import Delivery, TurnNotice

TIMEOUT_S = 10.0  # for one attempt
KEY_PREFIX = b"whsec_"
KEY_BYTES = range(24, 65)
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})\b")
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052
LATER = (408, 425, 429)  # statuses after which another attempt may succeed, beside those of the server's own faults

logger = logging.getLogger(__name__)


class Forbidden(Exception):
    """A host has no address that may be called."""


class Webhook:
    """An address that notices are posted to.

    Args:
        url: the address.
        key: signs notices.
        private: whether it may be a loopback or private address.
        now: returns milliseconds since 1970.
    """

    def __init__(self, url: str, key: bytes, *, private: bool, now: Callable[[], int]) -> None:
        self._url = urlsplit(url)
        self._key = key
        self._private = private
        self._now = now
        self._tls = ssl.create_default_context() if self._url.scheme == "https" else None
        self._log = Seldom(logger)

    async def send(self, notice: TurnNotice) -> Delivery:
        """Post a notice once."""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                status = await self._post(notice.name, notice.to_json().encode())
        except Forbidden as error:
            self._log.error(f"the webhook is not called: {error}")
            return Delivery.REJECTED
        except (OSError, ValueError) as error:  # also of TLS, and where the time was up
            self._log.error(f"the webhook cannot be called: {str(error) or type(error).__name__}")
            return Delivery.FAILED
        delivery = delivery_of(status)
        if delivery != Delivery.ACCEPTED:
            self._log.error(f"the webhook answers with status {status}")
        return delivery

    async def _post(self, name: str, body: bytes) -> int:
        """Return the status of the answer. Raises OSError, TimeoutError, and ValueError for an answer without one."""
        host, port = self._url.hostname or "", self._url.port or (443 if self._tls else 80)
        address = await resolved(host, port, private=self._private)
        named = host if self._tls else None
        reader, writer = await asyncio.open_connection(address, port, ssl=self._tls, server_hostname=named)
        try:
            writer.write(self._head(name, body) + body)
            await writer.drain()
            found = STATUS.match(await reader.readline())
        finally:
            writer.close()
        if found is None:
            raise ValueError("the answer is not one of HTTP")
        return int(found[1])

    def _head(self, name: str, body: bytes) -> bytes:
        """Return the head of a request."""
        seconds = self._now() // 1000
        lines = (
            f"POST {target_of(self._url)} HTTP/1.1",
            f"host: {self._url.netloc}",
            "content-type: application/json",
            f"content-length: {len(body)}",
            f"webhook-id: {name}",
            f"webhook-timestamp: {seconds}",
            f"webhook-signature: {signature(self._key, name, seconds, body)}",
            "connection: close",
        )
        return "".join(f"{line}\r\n" for line in (*lines, "")).encode()


def signature(key: bytes, name: str, seconds: int, body: bytes) -> str:
    """Return the signature of a notice: HMAC-SHA256 of its name, its time and its content."""
    signed = hmac.digest(key, f"{name}.{seconds}.".encode() + body, "sha256")
    return f"v1,{base64.b64encode(signed).decode()}"


def delivery_of(status: int) -> Delivery:
    """Return what a status means for a notice; redirections are not followed."""
    if 200 <= status < 300:
        return Delivery.ACCEPTED
    return Delivery.FAILED if status >= 500 or status in LATER else Delivery.REJECTED


def target_of(url: SplitResult) -> str:
    """Return the path and query of an address."""
    return (url.path or "/") + (f"?{url.query}" if url.query else "")


async def resolved(host: str, port: int, *, private: bool) -> str:
    """Return an address of a host. Raises Forbidden if all are loopback or private ones, which are not allowed.

    The connection is made to this address, so that a second answer of the name server cannot differ.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(one[4][0]) for one in found]
    allowed = [address for address in addresses if private or is_public(address)]
    if not allowed:
        raise Forbidden(f"{host} is at {addresses[0]}; --webhook-private allows such addresses")
    return allowed[0]


def is_public(address: str) -> bool:
    """Return whether an address is public; for an IPv6 address that leads to an IPv4 one, whether that is."""
    found = ipaddress.ip_address(address.partition("%")[0])
    inner = inner_address(found) if found.version == 6 else None
    return found.is_global and not found.is_multicast if inner is None else is_public(str(inner))


def inner_address(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that an IPv6 address leads to; None for no such address."""
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


def read_key(path: Path) -> bytes:
    """Return the key in a file: 24 to 64 bytes in base64, perhaps after `whsec_`. Raises BadSettings."""
    text = read_file("webhook_key", path).strip()
    try:
        key = base64.b64decode(text.removeprefix(KEY_PREFIX), validate=True)
    except binascii.Error:
        key = b""
    if len(key) not in KEY_BYTES:
        raise BadSettings(f"webhook_key: {path} holds no key of 24 to 64 bytes in base64")
    return key
