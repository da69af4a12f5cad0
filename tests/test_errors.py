"""Errors raised in a pool's processes reach the waiting process; otherwise they would break the pool."""

import pickle
from pathlib import Path

import pytest

from clerestory.clients.errors import AdvisorError, BadConnection, BadRequest, Busy, FieldViolation
from clerestory.engine.errors import BadRecord, IllegalAction
from clerestory.search.errors import BadLimit
from clerestory.search.training.errors import BadData

ERRORS = [
    AdvisorError("no"),
    BadConnection("tls: ca", "is no: file"),
    BadData(Path("a: b") / "00000.npz", "is damaged: no zip"),
    BadLimit("options: horizon", "must be 0 or more: is -1"),
    BadRecord(3, "plies: 4: no"),
    BadRequest("", "INVALID", [FieldViolation("n", "must be at least 1")]),
    Busy("full", retry_after=0.5, metadata={"version": "3"}),
    IllegalAction("no", ["pass", "wait"]),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_reach_other_processes_whole(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
