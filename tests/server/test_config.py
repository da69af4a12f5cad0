"""Settings are refused before a server starts with them."""

from typing import Any

import pytest

from clerestory.declared import BadSettings
from clerestory.server.config import Settings

BAD: list[dict[str, Any]] = [
    {"workers": 0},
    {"workers": 100_000},
    {"max_searches": 0},
    {"min_iterations": 0},
    {"max_threads": 0},
    {"max_time": 0.0},
    {"max_time": float("nan")},
    {"max_time": float("inf")},
    {"max_time": 86401.0},
    {"max_tree_bytes": 1000},
    {"memory": 1 << 20},
    {"warm_bytes": -1},
    {"margin": -0.1},
    {"grace": -1.0},
    {"listen": ""},
    {"listen": "50051"},
    {"listen": "unix:"},
    {"listen": ":50051"},
    {"listen": "127.0.0.1:"},
    {"listen": "127.0.0.1:port"},
    {"listen": "127.0.0.1:65536"},
    {"listen": "0.0.0.0:50051"},
    {"listen": "[::]:50051"},
    {"listen": "192.0.2.1:50051"},
    {"listen": "example.org:50051"},
    {"listen": "example.org", "insecure": True},
    {"listen": "::1:50051"},
    {"listen": "[::1:50051"},
    {"listen": ":::50051", "insecure": True},
    {"tracing": "http://collector:65536"},
    *[
        {name: address}
        for name in ("admin", "metrics")
        for address in ("0.0.0.0:9464", "[::]:9464", "example.org:9464")
    ],
    {"metrics": "9464"},
    {"metrics": "unix:/somewhere/socket"},
]

GOOD: list[dict[str, Any]] = [
    {},
    {"listen": "localhost:0"},
    {"listen": "127.9.9.9:1"},
    {"listen": "[::1]:50051"},
    {"listen": "unix:/somewhere/socket"},
    {"listen": "0.0.0.0:50051", "insecure": True},
    {"metrics": "localhost:9464"},
    {"metrics": "[::1]:0"},
    {"admin": "0.0.0.0:9465", "metrics": "0.0.0.0:9464", "insecure": True},
]


@pytest.mark.parametrize("settings", BAD)
def test_bad_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(BadSettings, match=rf"^{next(iter(settings))}: "):
        Settings(**settings)


@pytest.mark.parametrize("settings", GOOD)
def test_good_settings(settings: dict[str, Any]) -> None:
    made = Settings(**settings)
    assert all(getattr(made, name) == value for name, value in settings.items())
