"""The figures of a load test, from the record of each call."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from clerestory.percentiles import percentile

PERCENTS = (50, 95, 99, 99.9)
LATE = (5.0, 20.0)  # milliseconds after the budget


@dataclass(slots=True)
class CallRecord:
    """The record of one call. Times are seconds.

    Attributes:
        kind: `move` or `hint`.
        capacity: offered load at that moment, in multiples of the workers' capacity.
        due: scheduled send time, since the start of the run.
        budget: its time budget.
        took: time from when it was due until its last answer.
        lag: time from when it was due until it was sent.
        code: status code; "" while the call is in progress.
        reason: reason of its error, "" for none.
        iterations: iterations of its search.
        first: time from when it was due until the first table of a hint; None for none.
    """

    kind: str
    capacity: float
    due: float
    budget: float
    took: float = 0.0
    lag: float = 0.0
    code: str = ""
    reason: str = ""
    iterations: int = 0
    first: float | None = None

    @property
    def answered(self) -> bool:
        """Whether it was answered."""
        return self.code == "OK"

    @property
    def rejected(self) -> bool:
        """Whether it was rejected with a reason."""
        return self.code == "RESOURCE_EXHAUSTED" and self.reason == "BUSY"

    @property
    def late(self) -> float:
        """Milliseconds from the end of the budget to the answer; negative for an early answer."""
        return 1e3 * (self.took - self.budget)


@dataclass(slots=True)
class LoadRun:
    """The measurements of a run.

    Attributes:
        calls: calls in the order in which they were due.
        seconds: duration of the load.
        workers: number of workers of the server.
        health: seconds that each health check took, from the moment it was due.
        rss: bytes of the server's memory, sampled.
        stolen: share of machine time that the host gave to other guests; 0 if the machine does not report it.
    """

    calls: list[CallRecord]
    seconds: float
    workers: int
    health: list[float] = field(default_factory=list)
    rss: list[int] = field(default_factory=list)
    stolen: float = 0.0


def spread(values: Iterable[float]) -> dict[str, float]:
    """Return the percentiles and the maximum of some values."""
    known = list(values)
    return {f"p{share:g}": round(percentile(known, share), 3) for share in PERCENTS} | {
        "max": round(max(known, default=0.0), 3)
    }


def summary(run: LoadRun) -> dict[str, Any]:
    """Return the figures of a run; times of calls in milliseconds, counted from the moment a call was due.

    Shares of late answers are relative to all answers, those of rejections to all calls.
    """
    calls = run.calls
    answered = [call for call in calls if call.answered]
    rejected = [call for call in calls if call.rejected]
    late = [call.late for call in answered]
    firsts = [1e3 * call.first for call in answered if call.first is not None]
    return {
        "offered": round(offered(run), 3),
        "calls": len(calls),
        "answered": len(answered),
        "rejected": len(rejected),
        "lost": len(calls) - len(answered) - len(rejected),
        "rejected_share": share(len(rejected), len(calls)),
        "late_ms": spread(late),
        **{f"late_over_{limit:g}_ms": share(sum(one > limit for one in late), len(late)) for limit in LATE},
        "rejected_after_ms": spread(1e3 * call.took for call in rejected),
        "first_hint_ms": spread(firsts),
        "iterations": sum(call.iterations for call in answered),
        "iterations_per_s": round(sum(call.iterations for call in answered) / run.seconds),
        "health_ms": spread(1e3 * took for took in run.health),
        "rss_mib": {"first": mebibytes(run.rss[:1]), "max": mebibytes(run.rss), "last": mebibytes(run.rss[-1:])},
        "sent_late_ms": spread(1e3 * call.lag for call in calls),
    }


def in_time(row: dict[str, Any]) -> float:
    """Return the share of all calls of a summary, lost ones included, that were answered within the budget + 5 ms."""
    return float(row["answered"] * (1 - row["late_over_5_ms"]) / row["calls"])


def offered(run: LoadRun) -> float:
    """Return the offered load: seconds of budget arriving per second and worker."""
    return sum(call.budget for call in run.calls) / run.seconds / run.workers


def share(part: int, whole: int) -> float:
    """Return a share, 0 if the whole is 0."""
    return round(part / whole, 5) if whole else 0.0


def mebibytes(values: Sequence[int]) -> float:
    """Return the maximum of some numbers of bytes, in MiB."""
    return round(max(values, default=0) / 2**20, 1)


def phases(run: LoadRun, lengths: Sequence[tuple[float, float]]) -> list[dict[str, Any]]:
    """Return a summary for each (capacity, seconds) phase of a run, without the samples of health and memory."""
    parts, begin = [], 0.0
    for _, seconds in lengths:
        calls = [call for call in run.calls if begin <= call.due < begin + seconds]
        parts.append(summary(LoadRun(calls, seconds, run.workers)))
        begin += seconds
    return parts


def after(run: LoadRun, moment: float, width: float) -> list[dict[str, Any]]:
    """Return the lateness of answers in windows of `width` seconds from `moment` on, by due time."""
    windows = []
    while moment < run.seconds:
        late = [call.late for call in run.calls if call.answered and moment <= call.due < moment + width]
        windows.append({"from": moment, "answered": len(late), "late_ms": spread(late)})
        moment += width
    return windows


def records(run: LoadRun) -> list[dict[str, Any]]:
    """Return each call as a row."""
    return [{**asdict(call), "late_ms": round(call.late, 3)} for call in run.calls]
