"""Invalid settings of the gateway, and the host names that it answers to."""

from pathlib import Path
from typing import Any

import pytest

from clerestory.server.gateway.config import BadGatewaySettings, GatewaySettings

BAD = [
    *[
        ({"listen": listen}, "web: ")
        for listen in ("", "8080", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "unix:/x")
    ],
    ({"page": Path("/nowhere")}, r"web_page: /nowhere has no index\.html"),
    ({"proxies": ("castle.example",)}, r"web_proxy: 'castle\.example'"),
    *[
        ({"names": ("play.example.org", "[::1]", name)}, f"web_name: '{name}' is not a host name")
        for name in ("https://play.example.org", "play.example.org:443", "a b", "")
    ],
    *[
        (
            {"origins": ("https://play.example.org", "http://[::1]:5173", "capacitor://localhost", origin)},
            "web_origin: ",
        )
        for origin in (
            "*",
            "null",
            "play.example.org",
            "https://a.example/",
            "https://A.example",
            "https://a.example:443",
            "https://a.example:0443",
        )
    ],
]


@pytest.mark.parametrize(("settings", "says"), BAD)
def test_bad_settings_are_rejected(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(BadGatewaySettings, match=says):
        GatewaySettings(**{"listen": "127.0.0.1:0"} | settings)


@pytest.mark.parametrize("listen", ["0.0.0.0:80", "192.168.1.7:80", "castle.example:80", "[::]:80"])
def test_plaintext_for_other_machines_must_be_allowed(listen: str) -> None:
    with pytest.raises(BadGatewaySettings, match="insecure"):
        GatewaySettings(listen)
    assert GatewaySettings(listen, insecure=True).address[1] == 80


def test_an_open_gateway_is_known_by_its_addresses_but_by_no_foreign_name() -> None:
    settings = GatewaySettings("0.0.0.0:80", insecure=True)
    assert [settings.knows(name) for name in ("192.168.1.7", "[fe80::1]", "evil.example")] == [True, True, False]
