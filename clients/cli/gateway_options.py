"""Options of the page for browsers, which `serve` and `web` share."""

from pathlib import Path
from typing import Annotated

from clerestory.cli.settings import setting_of
from clerestory.declared import BadSettings
from clerestory.server.config import Settings
from clerestory.server.gateway.config import GatewaySettings

NamesOption = Annotated[list[str] | None, setting_of(GatewaySettings, "names")]
PageOption = Annotated[Path | None, setting_of(GatewaySettings, "page")]
ProxiesOption = Annotated[list[str] | None, setting_of(GatewaySettings, "proxies")]


def chosen_gateway(
    listen: str, names: list[str] | None, insecure: bool, page: Path | None, proxies: list[str] | None
) -> GatewaySettings:
    """Return the settings of a gateway. Raises BadGatewaySettings."""
    return GatewaySettings(listen, tuple(names or ()), insecure, page, tuple(proxies or ()))


def gateway_of(
    settings: Settings, listen: str, names: list[str] | None, page: Path | None, proxies: list[str] | None
) -> GatewaySettings | None:
    """Return the settings of a server's gateway; None for no address. Raises BadGatewaySettings, BadSettings."""
    if not listen:
        for name, given in (("web_name", names), ("web_page", page), ("web_proxy", proxies)):
            if given:
                raise BadSettings(f"{name}: requires web")
        return None
    if settings.tls_client_ca is not None:
        raise BadSettings("web: cannot be combined with tls_client_ca: browsers would get in without a certificate")
    return chosen_gateway(listen, names, settings.insecure, page, proxies)
