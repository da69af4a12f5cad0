"""Commands that are called in this process speak a language; the next test begins in English."""

from collections.abc import Iterator

import pytest

from clerestory.i18n.languages import ENGLISH
from clerestory.server.rpc.locale import LOCALE
from tests.faults.disks import small_disk  # noqa: F401  # a fixture


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    yield
    LOCALE.set(ENGLISH)
