"""A gateway that tests share, its limits of time, and the clock of a test's event loop."""

from collections.abc import Iterator

import pytest

from tests.server.gateway.harness import DAY_S, HOUR_S, Caller, running_gateway
from tests.server.rpc.harness import clock  # noqa: F401  # a fixture

LIMITS = ("http.BODY_SECONDS", "protocol.HEADER_SECONDS", "protocol.STALL_SECONDS")


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no limit of time pass while a busy machine is slow."""
    for name in LIMITS:
        monkeypatch.setattr(f"clerestory.server.gateway.{name}", HOUR_S)
    monkeypatch.setattr("clerestory.server.gateway.protocol.CLOSE_SECONDS", DAY_S)  # so that an answer is never lost


@pytest.fixture(scope="session")
def caller() -> Iterator[Caller]:
    """A caller of a gateway that runs in a thread; tests that set something up have a `gateway()` of their own."""
    with running_gateway() as caller:
        yield caller
