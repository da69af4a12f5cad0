"""Clients that wait long for an answer, and do not pause between attempts."""

import pytest

from clerestory.clients import retries, wire
from clerestory.clients.unary_call import UnaryCall

DEADLINE = 600.0  # seconds


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prevent deadlines from passing on a slow machine, and keep pauses short."""
    monkeypatch.setattr(wire, "SLACK", DEADLINE)
    monkeypatch.setattr(UnaryCall.__init__, "__defaults__", (DEADLINE,))
    for pauses in ("BUSY_PAUSES", "AWAY_PAUSES", "BROKEN_PAUSES"):
        monkeypatch.setattr(retries, pauses, tuple(0.001 for _ in getattr(retries, pauses)))
