"""Fixtures of the tests of commands."""

from tests.faults.disks import small_disk  # noqa: F401  # a fixture
