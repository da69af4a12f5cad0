"""The figures of a server, for Prometheus; docs/operations.md says what each is for."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from clerestory.advice.answer import Answer

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60)
MARGINS = (-1, -0.1, -0.05, -0.02, -0.01, -0.005, -0.002, -0.001, 0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 1)
ITERATIONS = tuple(10**n for n in range(1, 8))


class Metrics:
    """The figures of one server, in their own registry."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._calls = self._make(Counter, "calls", "Calls that have ended.", "method", "code", "reason", "via")
        self._call_seconds = self._make(
            Histogram, "call_seconds", "Time from the arrival of a call to its end.", "method", buckets=SECONDS
        )
        self._shed = self._make(Counter, "shed", "Calls turned away because there was no room.", "method")
        self._searches = self._make(Counter, "searches", "Searches that were answered.", "method", "stop_reason")
        self._iterations = self._make(Counter, "iterations", "Iterations of answered searches.")
        self._search_iterations = self._make(
            Histogram, "search_iterations", "Iterations of an answered search.", buckets=ITERATIONS
        )
        self._wait = self._make(
            Histogram, "queue_wait_seconds", "Time from the arrival to the first iteration.", "method", buckets=SECONDS
        )
        self._asked = self._make(Histogram, "budget_asked_seconds", "Time asked for.", "method", buckets=SECONDS)
        self._used = self._make(Histogram, "budget_used_seconds", "Time used.", "method", buckets=SECONDS)
        self._margin = self._make(
            Histogram,
            "deadline_margin_seconds",
            "Budget left when the answer was ready; below 0, it was late.",
            "method",
            buckets=MARGINS,
        )
        self._warnings = self._make(Counter, "warnings", "Warnings given with answers.", "reason")

    def _make(self, kind: Callable[..., Any], name: str, description: str, *labels: str, **options: Any) -> Any:
        return kind(f"clerestory_{name}", description, labels, registry=self.registry, **options)

    def watch(self, name: str, description: str, read: Callable[[], float]) -> None:
        """Add a figure that is read whenever the metrics are."""
        self._make(Gauge, name, description).set_function(read)

    def count_call(self, method: str, code: str, reason: str, via: str, seconds: float) -> None:
        """Count a call that has ended."""
        self._calls.labels(method, code, reason, via).inc()
        self._call_seconds.labels(method).observe(seconds)
        if code == "RESOURCE_EXHAUSTED":
            self._shed.labels(method).inc()

    def count_answer(self, answer: Answer) -> None:
        """Count a search whose final answer is ready."""
        method = "Analyze" if answer.sequence else "RecommendMove"
        result, budget = answer.result, answer.budget
        used = time.monotonic() - budget.arrived
        self._searches.labels(method, str(result.stop_reason)).inc()
        self._iterations.inc(result.iterations)
        self._search_iterations.observe(result.iterations)
        self._wait.labels(method).observe(answer.waited)
        if budget.requested is not None:
            self._asked.labels(method).observe(budget.requested)
        self._used.labels(method).observe(used)
        self._margin.labels(method).observe(budget.seconds - used)
        for name, _ in answer.remarks:
            self._warnings.labels(name).inc()


@dataclass(frozen=True, slots=True)
class Exposition:
    """An HTTP server that shows the figures."""

    server: WSGIServer
    thread: Thread

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self.server.server_port

    def close(self) -> None:
        """Stop it, and wait until it has stopped."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def expose(metrics: Metrics, address: str) -> Exposition:
    """Show the figures at `HOST:PORT` (port 0: any free one), under any path. Raises OSError."""
    host, _, port = address.rpartition(":")
    return Exposition(*start_http_server(int(port), host.strip("[]"), metrics.registry))
