"""Invalid settings of the gateway, and the host names that it answers to."""

from pathlib import Path
from typing import Any

import pytest

from clerestory.server.gateway.config import BadGatewaySettings, GatewaySettings

ORIGINS = ("https://play.example.org", "http://[::1]:5173", "capacitor://localhost")
HTTPS = [f"https://{site}" for site in ("a.example/", "A.example", "a.example:443", "a.example:0443")]
BAD: list[tuple[str, str, list[Any]]] = [
    ("listen", "web: ", ["", "8080", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "unix:/x"]),
    ("page", r"web_page: /nowhere has no index\.html", [Path("/nowhere")]),
    ("proxies", r"web_proxy: 'castle\.example'", [("castle.example",)]),
    *(
        ("names", f"web_name: '{name}' is not a host name", [("play.example.org", "[::1]", name)])
        for name in ("https://play.example.org", "play.example.org:443", "a b", "")
    ),
    ("origins", "web_origin: ", [(*ORIGINS, origin) for origin in ("*", "null", "play.example.org", *HTTPS)]),
]


@pytest.mark.parametrize(("name", "says", "values"), BAD)
def test_bad_settings_are_rejected(name: str, says: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(BadGatewaySettings, match=says):
            GatewaySettings(**{"listen": "127.0.0.1:0", name: value})


@pytest.mark.parametrize("listen", ["0.0.0.0:80", "192.168.1.7:80", "castle.example:80", "[::]:80"])
def test_plaintext_for_other_machines_must_be_allowed(listen: str) -> None:
    with pytest.raises(BadGatewaySettings, match="insecure"):
        GatewaySettings(listen)
    assert GatewaySettings(listen, insecure=True).address[1] == 80


def test_an_open_gateway_is_known_by_its_addresses_but_by_no_foreign_name() -> None:
    settings = GatewaySettings("0.0.0.0:80", insecure=True)
    assert [settings.knows(name) for name in ("192.168.1.7", "[fe80::1]", "evil.example")] == [True, True, False]


@pytest.mark.parametrize(
    ("options", "own"),
    [({}, True), ({"listen": "0.0.0.0:80", "insecure": True}, False), ({"names": ("advice.example",)}, False)],
)
def test_whether_other_machines_reach_it(options: dict[str, Any], own: bool) -> None:
    assert GatewaySettings(**{"listen": "127.0.0.1:0", **options}).own is own
