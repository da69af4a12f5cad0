"""The settings of a door, checked when they are made."""

import ipaddress
import re
import socket
from dataclasses import MISSING, dataclass
from pathlib import Path

from clerestory.addresses import is_loopback, is_port
from clerestory.declared import declared

MAX_BODY_BYTES = 64 * 1024  # the same as the server's limit
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
HOST_NAME = re.compile(r"[\w.-]+|\[?[0-9a-fA-F:]+\]?")  # or an IPv6 address
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


class BadDoor(ValueError):
    """A setting of the door is invalid; the message names it."""


@dataclass(frozen=True, slots=True)
class DoorSettings:
    """The settings of a door, each with its meaning. Raises BadDoor.

    Attributes:
        insecure: accept plaintext from other machines.
    """

    listen: str = declared(
        MISSING,
        "`HOST:PORT` where browsers find the [page](hosting.md) and the whole API",
        usual="none",
        name="web",
    )
    names: tuple[str, ...] = declared(
        (), "name under which browsers also reach the page, such as a proxy's; may be repeated", name="web_name"
    )
    insecure: bool = False
    page: Path | None = declared(None, "folder of a page to serve instead of the shipped one", name="web_page")
    proxies: tuple[str, ...] = declared(
        (),
        "address or network of a proxy in front of the page: it has no share of the connections, and its"
        " `X-Forwarded-For` is believed; may be repeated",
        name="web_proxy",
    )

    def __post_init__(self) -> None:
        host, _ = self.address
        if not (self.insecure or is_loopback(host)):
            raise BadDoor(
                f"web: calls from other machines to {self.listen} would not be encrypted; allow it with --insecure"
            )
        if self.page is not None and not (self.page / "index.html").is_file():
            raise BadDoor(f"web_page: {self.page} has no index.html")
        for name in self.names:
            if not HOST_NAME.fullmatch(name):
                raise BadDoor(f"web_name: {name!r} is not a host name like play.example.org, without scheme or port")
        _ = self.networks

    @property
    def address(self) -> tuple[str, int]:
        """Host and port. Raises BadDoor."""
        host, colon, port = self.listen.rpartition(":")
        if not (host and colon and is_port(port)):
            raise BadDoor(f"web: {self.listen!r} is not HOST:PORT")
        return host.strip("[]"), int(port)

    @property
    def networks(self) -> list[Network]:
        """The networks of the proxies. Raises BadDoor."""
        try:
            return [ipaddress.ip_network(proxy) for proxy in self.proxies]
        except ValueError as error:
            raise BadDoor(f"web_proxy: {error}") from None

    def knows(self, host: str) -> bool:
        """Whether a `Host` header, its port left out, is a name of this door.

        Through a foreign name that resolves to this machine, a web page could reach its visitor's servers (DNS
        rebinding). An address cannot be such a name.
        """
        bare = host.strip("[]").lower()
        own, _ = self.address
        if bare in (*LOCAL_NAMES, own.lower(), *(name.strip("[]").lower() for name in self.names)):
            return True
        return not is_loopback(own) and (is_address(bare) or bare == socket.gethostname().lower())


def is_address(host: str) -> bool:
    """Whether a host is an IP address."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
