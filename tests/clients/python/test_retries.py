"""The pause of a failed call before its next attempt."""

import json
import random
import re
from math import inf
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

from clerestory.clients import Busy, Unavailable, retries
from clerestory.clients.connection import Connection
from clerestory.clients.retries import (
    AWAY_PAUSES,
    BROKEN_PAUSES,
    BUSY_PAUSES,
    JITTER,
    RejoinPolicy,
    RetryPolicy,
    pause_of,
)
from clerestory.metadata import DETAILS, PUSHBACK
from tests.clients.node import ROOT


class Refused(grpc.RpcError):
    def __init__(
        self,
        *metadata: tuple[str, Any],
        code: grpc.StatusCode = grpc.StatusCode.RESOURCE_EXHAUSTED,
        details: str = "refused",
    ) -> None:
        self.trailing_metadata, self.code, self.details = (lambda: metadata), (lambda: code), (lambda: details)


AWAY = Refused(code=grpc.StatusCode.UNAVAILABLE)
HOPELESS = Refused(code=grpc.StatusCode.UNAVAILABLE, details="CERTIFICATE_VERIFY_FAILED")


def told(seconds: int) -> tuple[str, bytes]:
    status = Status()
    status.details.add().Pack(RetryInfo(retry_delay=Duration(seconds=seconds)))
    return DETAILS, status.SerializeToString()


@pytest.mark.parametrize(
    ("metadata", "least", "most"),
    [([(PUSHBACK, "2000"), told(5)], 2, 2), ([told(5)], 5, 5 * (1 + JITTER)), ([], 1 - JITTER, 1 + JITTER)],
    ids=["header", "error", "neither"],
)
def test_a_pause_is_set_by_the_server_or_random(
    metadata: Any, least: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Callers rejected together do not return together, and none returns too early."""
    bounds = []
    for pick in (min, max):
        monkeypatch.setattr(random, "uniform", lambda *ends, pick=pick: pick(ends))
        bounds.append(pause_of(Refused(*metadata), 1.0))  # type: ignore[arg-type]
    assert bounds == [least, most]


def nowhere(patience: float) -> Connection:
    return Connection("nowhere", None, [], (), retries=True, patience=patience)


def test_patience_is_counted_from_the_first_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same applies after each part of a stream, regardless of its duration."""
    clock = SimpleNamespace(now=100.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(retries, "time", clock)
    tries = RejoinPolicy(nowhere(2.0), 1000)
    for began in (200.0, 300.0):
        for clock.now in (began, began + 1.9):
            assert tries.pause(AWAY) > 0
        clock.now = began + 2
        with pytest.raises(Unavailable):
            tries.pause(AWAY)
        tries.end()


@pytest.mark.parametrize(("patience", "failure"), [(0.0, AWAY), (inf, HOPELESS)], ids=["no patience", "hopeless"])
def test_a_call_that_need_not_wait_is_not_tried_again(patience: float, failure: Refused) -> None:
    with pytest.raises(Unavailable):
        RetryPolicy(nowhere(patience), 1000).pause(failure)


def test_no_attempt_begins_after_the_deadline_or_where_a_server_forbids_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=100.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(retries, "time", clock)
    tries = RetryPolicy(nowhere(inf), 10)
    assert tries.pause(Refused((PUSHBACK, "9999"))) == 9.999  # type: ignore[arg-type]
    clock.now = 105.0
    assert tries.left == 5
    with pytest.raises(Busy):
        tries.pause(Refused((PUSHBACK, "5000")))  # type: ignore[arg-type]
    clock.now = 200.0
    assert tries.left == 0
    assert pause_of(Refused((PUSHBACK, "-1"), told(5)), 1.0) is None  # type: ignore[arg-type]


def test_the_package_in_typescript_has_the_same_pauses() -> None:
    text = (ROOT / "clients" / "typescript" / "src" / "retries.ts").read_text()
    named = {name: json.loads(value) for name, value in re.findall(r"^const ([A-Z]+) = ([\d\[\], .]+);", text, re.M)}
    pauses = {"BUSY": BUSY_PAUSES, "AWAY": AWAY_PAUSES, "BROKEN": BROKEN_PAUSES}
    ours = {name: [round(1000 * one) for one in seconds] for name, seconds in pauses.items()}
    assert named == ours | {"JITTER": JITTER, "UNANSWERED": 2}
