"""Commands that are called in this process speak a language; the next test begins in English."""

from collections.abc import Iterator

import pytest

from clerestory.server.spoken import SPOKEN
from clerestory.texts.languages import ENGLISH
from tests.faults.disks import small_disk  # noqa: F401  # a fixture


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    yield
    SPOKEN.set(ENGLISH)
