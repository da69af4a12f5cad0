"""One server as a process of its own."""

from collections.abc import Iterator

import pytest

from clerestory.clients import Advisor
from clerestory.clients.cli.embedded import embedded_server


@pytest.fixture(scope="session")
def target() -> Iterator[str]:
    with embedded_server("--workers", "1") as target:
        yield target


@pytest.fixture
def advisor(target: str) -> Iterator[Advisor]:
    with Advisor(target) as advisor:
        yield advisor
