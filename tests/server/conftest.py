"""One server as a process of its own, for tests that send it a great many requests."""

from collections.abc import Iterator

import pytest

from clerestory.cli.embedded import embedded_server


@pytest.fixture(scope="session")
def target() -> Iterator[str]:
    with embedded_server("--workers", "1", "--max-time", "0.01") as target:
        yield target
