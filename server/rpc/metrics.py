"""The server's Prometheus metrics, as listed in docs/reference.md."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from clerestory.server.analysis.answer import Answer
from clerestory.service_errors import Reason

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60)
MARGINS = (-1, -0.1, -0.05, -0.02, -0.01, -0.005, -0.002, -0.001, 0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 1)
ITERATIONS = tuple(10**n for n in range(1, 8))
CALLERS, REMEMBERED = 20, 600.0  # callers with their own label, and for how many seconds after the last count
OTHER = "other"  # label of all other callers


@dataclass(frozen=True, slots=True)
class Figure:
    """The declaration of a metric: name without `clerestory_`, type, help, labels, and the buckets of a histogram."""

    name: str
    kind: type[Counter] | type[Gauge] | type[Histogram]
    meaning: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()

    @property
    def full_name(self) -> str:
        """The exposed name."""
        return f"clerestory_{self.name}" + "_total" * (self.kind is Counter)

    def made(self, registry: CollectorRegistry) -> Any:
        """Return the collector of this metric, added to a registry."""
        options = {"buckets": self.buckets} if self.buckets else {}
        return self.kind(f"clerestory_{self.name}", self.meaning, self.labels, registry=registry, **options)  # type: ignore[arg-type]


M = ("method",)
FIGURES = (
    Figure(
        "calls",
        Counter,
        "finished calls: `code` is gRPC's name, `CANCELLED` if the caller left; `reason` is empty for answers; `via` "
        "is `web` for calls through the gateway for browsers, else `grpc`",
        ("method", "code", "reason", "via"),
    ),
    Figure("call_seconds", Histogram, "from the arrival of a call to its end", M, SECONDS),
    Figure("shed", Counter, "calls rejected as `BUSY`; if it keeps rising, add workers or servers", M),
    Figure("searches", Counter, "answered searches", ("method", "stop_reason")),
    Figure("iterations", Counter, "iterations of answered searches; its rate is the throughput"),
    Figure("search_iterations", Histogram, "iterations of one search: how good the answers are", (), ITERATIONS),
    Figure("queue_wait_seconds", Histogram, "from the arrival to the first iteration", M, SECONDS),
    Figure("budget_asked_seconds", Histogram, "requested time, where there was one", M, SECONDS),
    Figure("budget_used_seconds", Histogram, "from the arrival until the answer was ready", M, SECONDS),
    Figure(
        "deadline_margin_seconds", Histogram, "requested time left when the answer was ready; below 0, late", M, MARGINS
    ),
    Figure(
        "rejected_calls",
        Counter,
        "rejected calls that may be repeated later or otherwise, by caller as in the log: the last 20 of these callers,"
        " and `other`",
        ("caller", "code"),
    ),
    Figure("warnings", Counter, "warnings given with answers", ("reason",)),
    Figure("workers", Gauge, "threads that search"),
    Figure("admitted", Gauge, "admitted searches that have not ended"),
    Figure("running", Gauge, "searches that a worker is processing now"),
    Figure("waiting", Gauge, "searches that have not started"),
    Figure("games", Gauge, "hosted games that have not ended, at most a minute old where servers share them"),
    Figure("games_in_memory", Gauge, "hosted games in memory"),
    Figure(
        "games_waiting",
        Gauge,
        "hosted games whose next move is the server's and is overdue: `kind` is `people` with a person or an open seat,"
        " `bots` for those that take turns",
        ("kind",),
    ),
    Figure("store_up", Gauge, "1 if the store answers, 0 if not: games cannot be played then"),
    Figure("store_free_bytes", Gauge, "free on the disk of the store; NaN if none here answers"),
    Figure("store_disk_bytes", Gauge, "of that disk; NaN if none here answers"),
    Figure("memory_bytes", Gauge, "of this process in memory"),
    Figure("memory_limit_bytes", Gauge, "that it could have: these, and what machine, container and limits leave"),
    Figure("descriptors", Gauge, "open descriptors: nearly all are connections"),
    Figure("descriptors_limit", Gauge, "with so many, one of its ports may be full and close further connections"),
    Figure("started_seconds", Gauge, "when the server started, in seconds since 1970"),
    Figure("certificate_ends_seconds", Gauge, "end of the certificate, in seconds since 1970; NaN for none"),
    Figure("watchers", Gauge, "streams that watch hosted games"),
    Figure(
        "notices",
        Counter,
        "notices to `--webhook` and to seats: `outcome` is `delivered`, `rejected`, `failed` at every attempt,"
        " `outdated` if the turn ended or the target was removed before, or `dropped` if too many others were waiting",
        ("outcome",),
    ),
    Figure("tasks", Gauge, "tasks of the event loop; steady growth is a leak"),
)


class Latest:
    """A counter by caller with limited cardinality: a new caller gets its own label when an old one has expired.

    Args:
        counter: with the labels caller and code.
    """

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._last: OrderedDict[str, float] = OrderedDict()  # time of the last count by caller, latest last
        self._codes: dict[str, set[str]] = {}

    def count(self, caller: str, code: str) -> None:
        """Count an event."""
        shown = self._place(caller, time.monotonic())
        self._codes.setdefault(shown, set()).add(code)
        self._counter.labels(shown, code).inc()

    def _place(self, caller: str, now: float) -> str:
        """Return the label of a caller."""
        if caller not in self._last and len(self._last) >= CALLERS:
            oldest = next(iter(self._last))
            if self._last[oldest] > now - REMEMBERED:
                return OTHER
            del self._last[oldest]
            for code in self._codes.pop(oldest):
                self._counter.remove(oldest, code)
        self._last[caller] = now
        self._last.move_to_end(caller)
        return caller


class Metrics:
    """The metrics of one server, in their own registry."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._of = {figure.name: figure.made(self.registry) for figure in FIGURES}

        self._rejected = Latest(self._of["rejected_calls"])
        self._labelled = cache(lambda name, *labels: self._of[name].labels(*labels))  # few: no label comes from callers

    def watch(self, name: str, read: Callable[[], float], *labels: str) -> None:
        """Set the function that returns the value of a metric at each scrape, optionally for one set of labels."""
        figure = self._of[name]
        (figure.labels(*labels) if labels else figure).set_function(read)

    def count_rejected(self, caller: str, code: str) -> None:
        """Count a call that failed with a service error."""
        self._rejected.count(caller, code)

    def count_call(self, method: str, code: str, reason: str, via: str, seconds: float) -> None:
        """Count a call that has ended."""
        self._labelled("calls", method, code, reason, via).inc()
        self._labelled("call_seconds", method).observe(seconds)
        if reason == Reason.BUSY:
            self._of["shed"].labels(method).inc()

    def count_notice(self, outcome: str) -> None:
        """Count a notice that will not be sent again."""
        self._labelled("notices", outcome).inc()

    def count_soon(self, asker: str, answer: Answer) -> None:
        """Count a search whose final answer is ready, once the event loop has sent it."""
        asyncio.get_running_loop().call_soon(self.count_answer, asker, answer, time.monotonic())

    def count_answer(self, asker: str, answer: Answer, ready: float) -> None:
        """Count a search whose final answer was ready at the given time.monotonic value."""
        result, of, used, labelled = answer.result, self._of, ready - answer.arrived, self._labelled
        requested = answer.question.limits.seconds
        labelled("searches", asker, str(result.stop_reason)).inc()
        of["iterations"].inc(result.iterations)
        of["search_iterations"].observe(result.iterations)
        labelled("queue_wait_seconds", asker).observe(answer.waited)
        labelled("budget_used_seconds", asker).observe(used)
        if requested is not None and answer.seconds is not None:  # otherwise the server set it, and no answer is late
            labelled("budget_asked_seconds", asker).observe(requested)
            labelled("deadline_margin_seconds", asker).observe(answer.seconds - used)
        for name, _ in answer.remarks:
            labelled("warnings", name).inc()


@dataclass(frozen=True, slots=True)
class Exposition:
    """An HTTP server for the metrics."""

    server: WSGIServer
    thread: Thread

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self.server.server_port

    def close(self) -> None:
        """Stop the HTTP server, and wait until it has stopped."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def expose(metrics: Metrics, address: str) -> Exposition:
    """Serve the metrics at `HOST:PORT` (port 0: any free port), under any path. Raises OSError."""
    host, _, port = address.rpartition(":")
    try:
        return Exposition(*start_http_server(int(port), host.strip("[]"), metrics.registry))
    except OSError as error:
        raise OSError(f"cannot listen on {address}: {error.strerror}") from None
