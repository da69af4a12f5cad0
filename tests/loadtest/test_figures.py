"""The figures of a load test, from made-up calls."""

import asyncio
from collections import namedtuple
from types import SimpleNamespace
from typing import Any, cast

import psutil
import pytest

from clerestory.percentiles import percentile
from clerestory.v1.advisor_pb2 import RecommendMoveRequest
from clerestory.v1.position_pb2 import Position
from loadtest import openloop
from loadtest.corpus import move_question
from loadtest.figures import CallRecord, LoadRun, after, in_time, phases, summary
from loadtest.openloop import MEAN_BUDGET, Load, arrivals, read_phases


def seen(
    code: str = "OK", reason: str = "", *, due: float = 0.0, late: float = 0.0, iterations: int = 10
) -> CallRecord:
    """Return a call with a budget of 100 ms whose answer came `late` seconds after it."""
    return CallRecord("move", 1.0, due, 0.1, took=0.1 + late, code=code, reason=reason, iterations=iterations)


@pytest.mark.parametrize(
    ("share", "expected"), [(50, 50), (95, 95), (99, 99), (99.9, 100), (100, 100), (1, 1), (0.1, 1)]
)
def test_percentiles_are_values_that_were_seen(share: float, expected: float) -> None:
    assert percentile([float(value) for value in range(100, 0, -1)], share) == expected


def test_each_call_is_answered_rejected_or_lost() -> None:
    calls = [
        seen(),
        seen("RESOURCE_EXHAUSTED", "BUSY"),
        seen("RESOURCE_EXHAUSTED"),  # from gRPC, not from the server
        seen("DEADLINE_EXCEEDED"),
        seen("UNAVAILABLE", "FINISHING"),
        seen(""),
    ]
    figures = summary(LoadRun(calls, 1.0, 2))
    assert [figures[name] for name in ("calls", "answered", "rejected", "lost")] == [6, 1, 1, 4]


def test_lateness_is_that_of_answers_and_calls_without_one_are_not_in_time() -> None:
    calls = [*(seen(late=late) for late in (-0.05, 0.004, 0.006, 0.03)), seen("DEADLINE_EXCEEDED", late=5.0)]
    figures = summary(LoadRun(calls, 2.0, 2))
    assert figures["late_ms"]["p50"] == pytest.approx(4.0)
    assert figures["late_ms"]["max"] == pytest.approx(30.0)
    assert (figures["late_over_5_ms"], figures["late_over_20_ms"]) == (0.5, 0.25)
    assert figures["iterations_per_s"] == 20
    assert figures["offered"] == pytest.approx(5 * 0.1 / 2 / 2, abs=1e-3)
    calls = [seen(), seen(late=0.006), seen("RESOURCE_EXHAUSTED", "BUSY"), seen("DEADLINE_EXCEEDED")]
    assert in_time(summary(LoadRun(calls, 1.0, 2))) == 0.25


def test_a_stalled_server_is_checked_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """One check per stall is not enough: nine waiting checks count more, including those waiting at the end."""
    begun, asked = asyncio.Event(), []

    async def check(_: object, timeout: float) -> None:
        asked.append(timeout)
        if len(asked) == 9:
            begun.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(openloop, "HealthStub", lambda _: SimpleNamespace(Check=check))
    monkeypatch.setattr(openloop, "HEALTH_EVERY", 0.001)
    took: list[float] = []

    async def watched() -> None:
        watch = asyncio.ensure_future(openloop.watch_health(cast(Any, None), took))
        await begun.wait()
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)

    asyncio.run(watched())
    assert len(took) >= 9
    assert max(took) >= 8 * 0.001


def test_phases_and_windows_divide_calls_by_when_they_were_due() -> None:
    calls = [seen(due=due, late=due / 1000) for due in (0.5, 1.5, 2.5, 3.5)]
    run = LoadRun(calls, 4.0, 1)
    assert read_phases("10:2,1", 30.0) == [(10.0, 2.0), (1.0, 30.0)]
    assert [part["calls"] for part in phases(run, [(1, 1.0), (1, 3.0)])] == [1, 3]
    assert [window["answered"] for window in after(run, 1.0, 1.0)] == [1, 1, 1]


@pytest.mark.parametrize("capacity", [0.5, 1.0, 10.0])
@pytest.mark.parametrize("workers", [1, 2])
def test_arrivals_have_the_given_rate(capacity: float, workers: int) -> None:
    load = Load([(capacity, 2000.0)])
    calls = list(arrivals(load, workers))
    assert len(calls) == pytest.approx(2000 * capacity * workers / MEAN_BUDGET, rel=0.1)
    assert sum(call.budget for call in calls) / 2000 / workers == pytest.approx(capacity, rel=0.1)
    assert sum(call.kind == "hint" for call in calls) == pytest.approx(0.2 * len(calls), rel=0.2)
    assert min(call.budget for call in calls) >= 0.05
    assert max(call.budget for call in calls) <= 1.0


def test_equal_seeds_give_equal_loads() -> None:
    one, same, other = (list(arrivals(Load([(2.0, 5.0)], seed=seed), 2)) for seed in (1, 1, 2))
    assert one == same != other


def test_time_taken_by_the_host_is_separate(monkeypatch: pytest.MonkeyPatch) -> None:
    times = namedtuple("times", "user system idle steal guest guest_nice")
    monkeypatch.setattr(psutil, "cpu_times", lambda: times(5.0, 2.0, 10.0, 3.0, 4.0, 1.0))  # guests in user
    assert openloop.machine_times() == (3.0, 20.0)
    assert openloop.report(LoadRun([], 1.0, 1, stolen=0.2), [(1.0, 1.0)])["stolen"] == 0.2


@pytest.mark.parametrize(("options", "early"), [({}, None), ({"to_limits": True}, False)])
def test_moves_are_asked_for_as_by_default_unless_they_go_to_their_limits(options: Any, early: bool | None) -> None:
    asked = RecommendMoveRequest.FromString(move_question(Position(), 0.1, **options))
    assert (asked.early_stop if asked.HasField("early_stop") else None) is early
