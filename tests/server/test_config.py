"""Invalid settings are rejected before a server starts."""

from pathlib import Path
from typing import Any

import pytest

from clerestory.declared import BadSettings
from clerestory.server.config import Settings

BAD: dict[str, list[Any]] = {
    "workers": [0, 100_000],
    "max_searches": [0],
    "min_iterations": [0],
    "max_threads": [0],
    "max_time": [0.0, float("nan"), float("inf"), 86401.0],
    "max_tree_bytes": [1000],
    "memory": [1 << 20],
    "warm_bytes": [-1],
    "margin": [-0.1],
    "grace": [-1.0],
    "listen": [
        *("", "50051", "unix:", ":50051", "127.0.0.1:", "127.0.0.1:port", "127.0.0.1:65536", "0.0.0.0:50051"),
        *("[::]:50051", "192.0.2.1:50051", "example.org:50051", "::1:50051", "[::1:50051"),
    ],
    "tracing": [
        "http://collector:65536",
        "127.0.0.1:4317",
        "ftp://127.0.0.1:4317",
        "http://a b:1",
        "http://u:p@[::1]:1",
    ],
    "webhook": [
        *("example.org", "ftp://example.org/", "https://", "https://u:p@example.org/", "https://example.org:0/"),
        *("https://example.org:65536/", "https://example.org/a b", "https://example.org/\n", "https://[::1"),
        *("http://example.org/", "https://localhost/", "http://127.0.0.1:8000/", "https://[::1]/turn"),
        "https://example.org/turn",  # without a key
    ],
    "webhook_key": ["/key"],
    "webhook_private": [True],
    "seat_webhooks": ["all", ""],
    "push_key": ["/key"],  # without a contact
    "push_contact": ["ann@example.org", "mailto:", "http://example.org/", "mailto:ann", "mailto:ann@example.org"],
    "admin": ["0.0.0.0:9464", "[::]:9464", "example.org:9464"],
    "metrics": ["0.0.0.0:9464", "[::]:9464", "example.org:9464", "9464", "unix:/somewhere/socket"],
}

GOOD: list[dict[str, Any]] = [
    {},
    {"listen": "localhost:0"},
    {"listen": "127.9.9.9:1"},
    {"listen": "[::1]:50051"},
    {"listen": "unix:/somewhere/socket"},
    {"listen": "0.0.0.0:50051", "insecure": True},
    {"metrics": "localhost:9464"},
    {"metrics": "[::1]:0"},
    {"webhook": "https://example.org/turn?of=us", "webhook_key": Path("key")},
    {"webhook": "http://[::1]:8000/", "webhook_key": Path("key"), "webhook_private": True},
    {"webhook": "http://example.org/", "webhook_key": Path("key"), "insecure": True},
    {"push_key": Path("key"), "push_contact": "mailto:ann@example.org"},
    {"push_key": Path("key"), "push_contact": "https://example.org/contact"},
    {"admin": "0.0.0.0:9465", "metrics": "0.0.0.0:9464", "insecure": True},
]


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_bad_settings(name: str, value: Any) -> None:
    with pytest.raises(BadSettings, match=rf"^{name}: "):
        Settings(**{name: value})


@pytest.mark.parametrize("address", ["example.org", ":::50051"])
def test_an_insecure_server_needs_a_valid_address_as_well(address: str) -> None:
    with pytest.raises(BadSettings, match=r"^listen: "):
        Settings(listen=address, insecure=True)


@pytest.mark.parametrize("settings", GOOD)
def test_good_settings(settings: dict[str, Any]) -> None:
    made = Settings(**settings)
    assert {name: getattr(made, name) for name in settings} == settings
