"""Locust users: front ends that request bot moves, players who open and leave hints, and rules calls.

`locust -f loadtest/locustfile.py --host HOST:PORT` opens the web UI; with `--headless -u 40 -t 60s` it runs without.
`make loadtest` starts a private server and checks the thresholds. A stream yields three events: the time to its first
table, the time between tables, and its lateness. A move yields its lateness.
"""

# ruff: noqa: E402  # gRPC must be patched for gevent before a channel is opened
import grpc.experimental.gevent

grpc.experimental.gevent.init_gevent()

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from locust import User, constant, events, task

from clerestory.clients import Advisor
from clerestory.clients.errors import AdvisorError, Busy
from clerestory.percentiles import percentile
from loadtest.corpus import positions

SERVER = "127.0.0.1:50051"  # address of `clerestory serve`, for runs without --host
LATE = 0.02  # seconds after the budget at which an answer counts as late
MOST = {
    "failed": 0.0,
    "late": 0.02,
    "rules_p99_ms": 100.0,
}  # upper limits, for a busy machine
CORPUS: list[Any] = []


@events.test_start.add_listener
def read_corpus(environment: Any, **_: Any) -> None:
    """Let the server replay the recorded games, once for all users."""
    CORPUS[:] = positions(environment.host or SERVER)


@dataclass
class Observations:
    """The measurements that are compared with the thresholds; filled while the users run."""

    late: list[bool] = field(default_factory=list)
    rules: list[float] = field(default_factory=list)
    failed: int = 0
    busy: int = 0


OBSERVED = Observations()


def tell(name: str, seconds: float, error: Exception | None = None) -> None:
    """Report an event to locust. A rejection under load counts as an answer, with a separate event."""
    if isinstance(error, Busy):
        OBSERVED.busy += 1
        name, error = f"{name}, rejected", None
    OBSERVED.failed += error is not None
    events.request.fire(
        request_type="grpc", name=name, response_time=1e3 * seconds, response_length=0, exception=error, context={}
    )


@contextmanager
def timed(name: str) -> Iterator[Callable[[], float]]:
    """Report the duration and the outcome of a block; yield a function that returns the seconds since its start."""
    began = time.monotonic()
    try:
        yield lambda: time.monotonic() - began
    except AdvisorError as error:
        tell(name, time.monotonic() - began, error)
    else:
        tell(name, time.monotonic() - began)


def tell_lateness(name: str, took: float, budget: float) -> None:
    """Report the lateness of an answer; an early one counts as 0."""
    late = max(took - budget, 0.0)
    OBSERVED.late.append(late > LATE)
    tell(name, late)


class Person(User):
    """A user with a separate connection."""

    abstract = True
    host = SERVER

    def on_start(self) -> None:
        """Connect."""
        self.advisor = Advisor(self.host, retries=False)

    def on_stop(self) -> None:
        """Disconnect."""
        self.advisor.close()


class FrontEnd(Person):
    """A table with bots: one move after another, with short and long budgets."""

    weight = 6
    wait_time = constant(0.5)

    @task
    def move(self) -> None:
        """Ask for the move of a bot."""
        budget = 0.05 * 20 ** random.random()
        with timed("move") as elapsed:
            self.advisor.recommend(random.choice(CORPUS), budget, lines=3)
            tell_lateness("move, late by", elapsed(), budget)


class HintReader(Person):
    """A player who opens a hint, watches the tables improve, and usually leaves before the end."""

    weight = 3
    wait_time = constant(1.0)

    @task
    def hint(self) -> None:
        """Open a stream of hints, and leave after a few tables."""
        patience, last = random.randint(1, 12), 0.0
        with timed("hint") as elapsed, self.advisor.analyze(random.choice(CORPUS), 1.0, every=0.1) as tables:
            for number, table in enumerate(tables, 1):
                tell("hint, first table" if number == 1 else "hint, next table", elapsed() - last)
                last = elapsed()
                if table.final:
                    tell_lateness("hint, late by", last, 1.0)
                if number == patience:
                    return


class RulesReader(Person):
    """A front end without its own rules."""

    weight = 1
    wait_time = constant(0.2)

    @task
    def faults(self) -> None:
        """Validate a position."""
        self._time("rules, faults", lambda: self.advisor.rules.faults(random.choice(CORPUS)))

    @task
    def legal(self) -> None:
        """List the legal actions."""
        self._time("rules, legal", lambda: self.advisor.rules.follow(random.choice(CORPUS)).legal())

    def _time(self, name: str, call: Callable[[], object]) -> None:
        with timed(name) as elapsed:
            call()
            OBSERVED.rules.append(1e3 * elapsed())


@events.quitting.add_listener
def judge(environment: Any, **_: Any) -> None:
    """Set the exit code, and print what exceeds its threshold."""
    calls = environment.stats.total.num_requests
    shown = {
        "failed": OBSERVED.failed / max(calls, 1),
        "late": sum(OBSERVED.late) / max(len(OBSERVED.late), 1),
        "rules_p99_ms": percentile(OBSERVED.rules, 99),
    }
    beyond = {name: value for name, value in shown.items() if value > MOST[name]}
    print(f"judged: {shown}, {OBSERVED.busy} rejected; thresholds {MOST}; beyond: {beyond or 'none'}")
    environment.process_exit_code = 1 if beyond or not OBSERVED.late else 0
