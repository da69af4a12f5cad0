"""Fixtures with a PostgreSQL."""

from collections.abc import Iterator

import pytest

from loadtest.faults.postgres import Cluster, installed, own_cluster
from tests.parts import missing


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A cluster for many tests; they must not stop it."""
    if not installed():
        missing("PostgreSQL", "apt-get install postgresql")
    with own_cluster() as made:
        yield made


@pytest.fixture
def database(cluster: Cluster) -> str:
    return cluster.url(cluster.create())
