"""Settings of the gateway that are refused, and the names that it answers to."""

from pathlib import Path

import pytest

from clerestory.door.config import BadDoor, DoorSettings

LOCAL = "127.0.0.1:0"


@pytest.mark.parametrize("listen", ["", "8080", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "unix:/tmp/x"])
def test_an_invalid_address_is_refused(listen: str) -> None:
    with pytest.raises(BadDoor, match="web: "):
        DoorSettings(listen)


@pytest.mark.parametrize("listen", ["0.0.0.0:80", "192.168.1.7:80", "castle.example:80", "[::]:80"])
def test_plaintext_for_other_machines_must_be_allowed(listen: str) -> None:
    with pytest.raises(BadDoor, match="insecure"):
        DoorSettings(listen)
    assert DoorSettings(listen, insecure=True).address[1] == 80


def test_an_open_gateway_is_known_by_its_addresses_but_by_no_foreign_name() -> None:
    settings = DoorSettings("0.0.0.0:80", insecure=True)
    assert [settings.knows(name) for name in ("192.168.1.7", "[fe80::1]", "evil.example")] == [True, True, False]


def test_a_folder_without_a_page_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadDoor, match=r"index\.html"):
        DoorSettings(LOCAL, page=tmp_path)


def test_a_proxy_must_be_an_address() -> None:
    with pytest.raises(BadDoor, match=r"web_proxy: 'castle\.example'"):
        DoorSettings(LOCAL, proxies=("castle.example",))


@pytest.mark.parametrize("name", ["https://play.example.org", "play.example.org:443", "a b", ""])
def test_a_name_must_be_a_host_name(name: str) -> None:
    with pytest.raises(BadDoor, match=rf"web_name: '{name}' is not a host name"):
        DoorSettings(LOCAL, names=("play.example.org", "[::1]", name))
