"""A gateway shared by tests, its time limits, and the clock of a test's event loop."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.server.gateway.harness import DAY_S, HOUR_S, Caller, gateway, running_gateway
from tests.server.rpc.harness import clock  # noqa: F401  # a fixture

LIMITS = ("http.BODY_SECONDS", "protocol.HEADER_SECONDS", "protocol.STALL_SECONDS")


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prevent time limits from passing while a busy machine is slow."""
    for name in LIMITS:
        monkeypatch.setattr(f"clerestory.server.gateway.{name}", HOUR_S)
    monkeypatch.setattr("clerestory.server.gateway.protocol.CLOSE_SECONDS", DAY_S)  # so that no answer is lost


@pytest.fixture(scope="session")
def caller() -> Iterator[Caller]:
    """A caller of a gateway that runs in a thread; tests that need special settings start a separate `gateway()`."""
    with running_gateway() as caller:
        yield caller


@pytest.fixture
async def own() -> AsyncIterator[Caller]:
    """A caller of a gateway for one test, in its event loop."""
    async with gateway() as caller:
        yield caller
