"""The settings of the gateway, validated on construction."""

import ipaddress
import re
import socket
from dataclasses import MISSING, dataclass
from pathlib import Path

from clerestory.addresses import is_loopback, is_port
from clerestory.declared import declared

MAX_BODY_BYTES = 64 * 1024  # the server's limit is the same
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
HOST_NAME = re.compile(r"[\w.-]+|\[?[0-9a-fA-F:]+\]?")  # or an IPv6 address
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
HOST = r"[a-z0-9_.-]+|\[[0-9a-f:.]+\]"
ORIGIN = re.compile(rf"[a-z][a-z0-9+.-]*://(?:{HOST})(?::[1-9][0-9]{{0,4}})?")  # as browsers write it
DEFAULT_PORT = re.compile(r"http://.*:80|https://.*:443")


class BadGatewaySettings(ValueError):
    """A gateway setting is invalid; the message names it."""


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """The settings of the gateway, each with its description. Raises BadGatewaySettings.

    Attributes:
        insecure: whether to accept plaintext connections from other machines.
    """

    listen: str = declared(
        MISSING,
        "`HOST:PORT` where browsers find the [page](hosting.md) and the whole API",
        usual="none",
        name="web",
    )
    names: tuple[str, ...] = declared(
        (), "name by which browsers may also reach the page, such as a proxy's; may be repeated", name="web_name"
    )
    insecure: bool = False
    page: Path | None = declared(None, "folder of a page to serve instead of the shipped one", name="web_page")
    proxies: tuple[str, ...] = declared(
        (),
        "address or network of a proxy in front of the page: exempt from the limit of connections per address,"
        " and trusted to set `X-Forwarded-For`; may be repeated",
        name="web_proxy",
    )
    origins: tuple[str, ...] = declared(
        (),
        "origin of another site, such as `https://play.example.org`, whose pages may [call the"
        " API](hosting.md#pages-of-other-sites); may be repeated",
        name="web_origin",
    )

    def __post_init__(self) -> None:
        host, _ = self.address
        if not (self.insecure or is_loopback(host)):
            raise BadGatewaySettings(
                f"web: calls from other machines to {self.listen} would not be encrypted; allow it with --insecure"
            )
        if self.page is not None and not (self.page / "index.html").is_file():
            raise BadGatewaySettings(f"web_page: {self.page} has no index.html")
        for name in self.names:
            if not HOST_NAME.fullmatch(name):
                raise BadGatewaySettings(
                    f"web_name: {name!r} is not a host name like play.example.org, without scheme or port"
                )
        for origin in self.origins:
            if not ORIGIN.fullmatch(origin) or DEFAULT_PORT.fullmatch(origin):
                raise BadGatewaySettings(
                    f"web_origin: {origin!r} is not an origin as browsers write it, like https://play.example.org or"
                    " http://localhost:5173: in lower case, without a path or the default port"
                )
        _ = self.networks

    @property
    def address(self) -> tuple[str, int]:
        """The host and port to listen on. Raises BadGatewaySettings."""
        host, colon, port = self.listen.rpartition(":")
        if not (host and colon and is_port(port)):
            raise BadGatewaySettings(f"web: {self.listen!r} is not HOST:PORT")
        return host.strip("[]"), int(port)

    @property
    def networks(self) -> list[Network]:
        """The networks of the proxies. Raises BadGatewaySettings."""
        try:
            return [ipaddress.ip_network(proxy) for proxy in self.proxies]
        except ValueError as error:
            raise BadGatewaySettings(f"web_proxy: {error}") from None

    def sharing(self, origin: str) -> list[tuple[str, str]]:
        """Return the headers that allow a page of an origin to read the response (CORS, Fetch Standard).

        They allow no credentials, which the service does not use: a token is a header that the page itself sets.
        """
        if not self.origins:
            return []
        allowed = [("access-control-allow-origin", origin), ("access-control-expose-headers", "*")]
        return [("vary", "origin"), *(allowed if origin in self.origins else [])]

    @property
    def own(self) -> bool:
        """Whether no other machine reaches the gateway, as far as it knows: none does directly or through a proxy."""
        return is_loopback(self.address[0]) and not (self.names or self.proxies)

    def knows(self, host: str) -> bool:
        """Return whether the gateway accepts a `Host` header, given without its port.

        This check prevents DNS rebinding: a web page could otherwise reach its visitor's servers through a foreign name
        that resolves to this machine. IP addresses are accepted, because DNS cannot rebind them.
        """
        bare = host.strip("[]").lower()
        own, _ = self.address
        if bare in (*LOCAL_NAMES, own.lower(), *(name.strip("[]").lower() for name in self.names)):
            return True
        return not is_loopback(own) and (is_address(bare) or bare == socket.gethostname().lower())


def is_address(host: str) -> bool:
    """Return whether a host is an IP address."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
