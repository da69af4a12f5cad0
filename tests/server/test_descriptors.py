"""How the descriptors of a process are divided."""

import resource

import pytest

from clerestory.server.descriptors import MOST, RESERVED, connections


@pytest.mark.parametrize("page", [False, True])
@pytest.mark.parametrize("descriptors", [64, 128, 1024, 4096, 1 << 20, resource.RLIM_INFINITY])
def test_ports_leave_what_is_reserved(monkeypatch: pytest.MonkeyPatch, descriptors: int, page: bool) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (descriptors, descriptors))
    room = connections(page=page)
    assert 0 < room.callers <= MOST
    assert (0 < room.browsers <= MOST) is page
    assert descriptors < 0 or room.callers + room.browsers <= descriptors - RESERVED
