"""Parses and classifies network addresses."""

import ipaddress
import re
import socket
from pathlib import Path

PORT = re.compile(r"[0-9]{1,5}")
HOST_BITS = 64  # of an IPv6 address, which a host can choose freely


def is_port(text: str) -> bool:
    """Return whether a text is a port number; 0 means any free port."""
    return bool(PORT.fullmatch(text)) and int(text) < 65536


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine: localhost or a loopback address; IPv6 may be in brackets."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def network_of(host: str) -> str:
    """Return an IPv4 address unchanged, or the network part of an IPv6 address.

    Args:
        host: an address; IPv6 may be in brackets or have a zone. Raises ValueError for anything else.
    """
    address = ipaddress.ip_address(host.strip("[]").partition("%")[0])
    if address.version == 6 and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if address.version == 4 or address.is_loopback:
        return str(address)
    return str(ipaddress.ip_network((address, 128 - HOST_BITS), strict=False))


def socket_of(address: str) -> Path | None:
    """Return the socket file of `unix:PATH`; None for any other address."""
    return Path(address.removeprefix("unix:")) if address.startswith("unix:") else None


def is_listening(path: Path) -> bool:
    """Return whether a process listens on a socket file."""
    with socket.socket(socket.AF_UNIX) as caller:
        caller.setblocking(False)
        try:
            caller.connect(str(path))
        except BlockingIOError:  # its backlog is full
            return True
        except OSError:
            return False
    return True
