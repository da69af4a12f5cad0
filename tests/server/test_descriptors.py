"""The division of a process's file descriptors."""

import resource
from unittest.mock import Mock

import pytest

from clerestory.server.descriptors import MOST, RESERVED, connections, take_descriptors


@pytest.mark.parametrize("page", [False, True])
@pytest.mark.parametrize("descriptors", [64, 128, 1024, 4096, 1 << 20, resource.RLIM_INFINITY])
def test_ports_leave_what_is_reserved(monkeypatch: pytest.MonkeyPatch, descriptors: int, page: bool) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (descriptors, descriptors))
    room = connections(page=page)
    assert 0 < room.callers <= MOST
    assert (0 < room.browsers <= MOST) is page
    assert descriptors < 0 or room.callers + room.browsers <= descriptors - RESERVED


@pytest.mark.parametrize(
    ("soft", "hard", "taken"),
    [
        (256, 4096, (4096, 4096)),
        (256, resource.RLIM_INFINITY, (2 * MOST + RESERVED, resource.RLIM_INFINITY)),
        (4096, resource.RLIM_INFINITY, None),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, None),
    ],
)
def test_no_more_is_taken(monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, taken: tuple[int, int] | None) -> None:
    """As on macOS, which has no limit but rejects an infinite one."""
    set_limit = Mock(side_effect=ValueError("current limit exceeds maximum limit"))
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", set_limit)
    take_descriptors()
    assert [call.args[1] for call in set_limit.call_args_list] == ([taken] if taken else [])
