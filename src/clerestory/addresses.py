"""Where connections come from, and go."""

import ipaddress
import re
import socket
from pathlib import Path

PORT = re.compile(r"[0-9]{1,5}")
HOST_BITS = 64  # of an IPv6 address, which a machine may choose as it likes


def is_port(text: str) -> bool:
    """Whether a text is the number of a port, or 0 for any that is free."""
    return bool(PORT.fullmatch(text)) and int(text) < 65536


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host: localhost, or an address, also an IPv6 address in brackets."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def network_of(host: str) -> str:
    """Return an IPv4 address as it is, and the network part of an IPv6 address.

    Args:
        host: an address, also an IPv6 address in brackets or with a zone. Raises ValueError for anything else.
    """
    address = ipaddress.ip_address(host.strip("[]").partition("%")[0])
    if address.version == 6 and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if address.version == 4 or address.is_loopback:
        return str(address)
    return str(ipaddress.ip_network((address, 128 - HOST_BITS), strict=False))


def socket_of(address: str) -> Path | None:
    """Return the file of the socket that `unix:PATH` names; None for any other address."""
    return Path(address.removeprefix("unix:")) if address.startswith("unix:") else None


def is_heard(path: Path) -> bool:
    """Whether a process listens at the file of a socket."""
    with socket.socket(socket.AF_UNIX) as caller:
        caller.setblocking(False)
        try:
            caller.connect(str(path))
        except BlockingIOError:  # its callers wait in line
            return True
        except OSError:
            return False
    return True
