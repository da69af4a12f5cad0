"""Posts requests to addresses that others have chosen: public hosts only, with limits on time and on what is read."""

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from threading import Thread
from typing import Any
from urllib.parse import SplitResult, urlsplit

from clerestory.server.games.notices import Delivery

TIMEOUT_S = 10.0  # for one attempt
STATUS = re.compile(rb"HTTP/1\.[01] ([1-9]\d\d)\b")
MAX_INTERIM_LINES = 200  # in all interim answers, with their headers; reading more would delay other work
SWITCHING = 101  # the one status below 200 that ends the answer, for which nobody has asked
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052
UNICAST = ipaddress.IPv6Network("2000::/3")  # the only global addresses that have been assigned, RFC 4291
DOCUMENTATION = ipaddress.IPv6Network("3fff::/20")  # RFC 9637, which older versions of Python do not know
LATER = (SWITCHING, 408, 425, 429)  # statuses after which another attempt may succeed, as after any from 500 on


class Forbidden(Exception):
    """A host has no address that may be called."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a request.

    Attributes:
        status: of the answer; 0 for none.
        fault: why the request failed, for the operator; "" if it was accepted.
    """

    delivery: Delivery
    status: int = 0
    fault: str = ""


async def post(url: str, headers: Mapping[str, str], body: bytes, *, private: bool) -> Result:
    """Post a request once; `private` allows loopback and private addresses. Redirections are not followed."""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            status = await status_of(urlsplit(url), headers, body, private=private)
    except Forbidden as error:
        return Result(Delivery.REJECTED, fault=f"is not called: {error}")
    except (OSError, ValueError) as error:  # also of TLS, and where the time was up
        return Result(Delivery.FAILED, fault=f"cannot be called: {str(error) or type(error).__name__}")
    delivery = delivery_of(status)
    return Result(delivery, status, "" if delivery == Delivery.ACCEPTED else f"answers with status {status}")


async def status_of(url: SplitResult, headers: Mapping[str, str], body: bytes, *, private: bool) -> int:
    """Return the status of the answer to a request, and read no more of it.

    Raises Forbidden, OSError, and ValueError for an answer without a status.
    """
    tls = trusted() if url.scheme == "https" else None
    host, port = url.hostname or "", url.port or (443 if tls else 80)
    address = await resolved(host, port, private=private)
    reader, writer = await asyncio.open_connection(address, port, ssl=tls, server_hostname=host if tls else None)
    try:
        writer.write(head_of(url, headers, len(body)) + body)
        await writer.drain()
        return await final_status(reader)
    finally:
        writer.close()


async def final_status(reader: asyncio.StreamReader) -> int:
    """Return the status of an answer, skipping interim ones (RFC 9110, 15.2). Raises OSError, ValueError."""
    begins = True
    for _ in range(MAX_INTERIM_LINES):
        line = await reader.readline()
        if begins:
            found = STATUS.match(line)
            if found is None:
                raise ValueError("the answer is not one of HTTP")
            if (status := int(found[1])) >= 200 or status == SWITCHING:
                return status
        begins = not line.strip()
    raise ValueError(f"has more than {MAX_INTERIM_LINES} lines of interim answers")


@cache
def trusted() -> ssl.SSLContext:
    """Return the settings of TLS; reading the machine's certificates takes tens of milliseconds of the event loop."""
    return ssl.create_default_context()


def head_of(url: SplitResult, headers: Mapping[str, str], length: int) -> bytes:
    """Return the head of a request."""
    target = (url.path or "/") + (f"?{url.query}" if url.query else "")
    named = {"host": url.netloc, **headers, "content-length": str(length), "connection": "close"}
    lines = [f"POST {target} HTTP/1.1", *(f"{name}: {value}" for name, value in named.items())]
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode()


def delivery_of(status: int) -> Delivery:
    """Return what a status means for a notice."""
    if 200 <= status < 300:
        return Delivery.ACCEPTED
    return Delivery.FAILED if status >= 500 or status in LATER else Delivery.REJECTED


# -- hosts -----------------------------------------------------------------------------------------


async def resolved(host: str, port: int, *, private: bool) -> str:
    """Return an address of a host. Raises Forbidden if all are loopback or private ones, which are not allowed.

    The connection is made to this address, so that a second answer of the name server cannot differ.
    """
    addresses = await looked_up(host, port)
    allowed = [address for address in addresses if private or is_public(address)]
    if not allowed:
        raise Forbidden(f"{host} is at {addresses[0]}, which is not a public address")
    return allowed[0]


async def looked_up(host: str, port: int) -> list[str]:
    """Return the addresses of a host. Raises OSError, UnicodeError.

    The thread is not one of the pool of the event loop: a slow name server would hold up whatever else needs these, and
    the end of the process.
    """
    found: Future[list[tuple[Any, ...]]] = Future()
    found.set_running_or_notify_cancel()  # it gets its result even after its caller has left

    def look_up() -> None:
        try:
            found.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except Exception as error:
            found.set_exception(error)

    Thread(target=look_up, name="name lookup", daemon=True).start()
    return [str(one[4][0]) for one in await asyncio.wrap_future(found)]


def is_public(address: str) -> bool:
    """Return whether an address is public; for an IPv6 address that leads to an IPv4 one, whether that is."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv4Address):
        return found.is_global and not found.is_multicast
    inner = inner_address(found)
    if inner is not None:
        return is_public(str(inner))
    return found.is_global and found in UNICAST and found not in DOCUMENTATION


def inner_address(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that an IPv6 address leads to; None for no such address."""
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


def may_be_public(host: str) -> bool:
    """Return whether a host can have a public address, as far as its name or its address says without a lookup."""
    try:
        return is_public(host)
    except ValueError:  # a name; its last label is a number in unusual forms of IPv4 addresses
        last = host.rstrip(".").rpartition(".")
        return bool(last[0]) and last[2] != "localhost" and not last[2][:1].isdigit()
