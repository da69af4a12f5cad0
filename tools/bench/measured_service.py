"""Measures the overhead that a server in another process adds to a search, as seen by its callers."""

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import monotonic, sleep
from typing import Any

import grpc

from clerestory.bench.loops import reference
from clerestory.cli.positions import first_decision
from clerestory.cli.servers import embedded_child
from clerestory.clients.child import Child
from clerestory.clients.wire import duration, position_message
from clerestory.engine import State
from clerestory.percentiles import percentile
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from clerestory.search.root import observe
from clerestory.v1.advisor_pb2 import RecommendMoveRequest, RecommendMoveResponse
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.rules_pb2 import ListGamesRequest
from clerestory.v1.rules_pb2_grpc import RulesServiceStub

BUDGETS = (20, 100, 500)  # ms
MEASUREMENTS = len(BUDGETS) + 5  # of `measure`: lateness at each budget, and the others
SMALL = {"iterations": 200, "time_budget": duration(0.04)}  # a search too short for explanations
LEAST = {"iterations": 1, "time_budget": duration(0.04)}
STALL = 60.0  # seconds after which a call has failed
PHASES = 7  # ms: a search is cancelled after 0 to 6 more, so that cancellations fall anywhere in its slice
MEASURED = {"p50": 50, "p99": 99, "p999": 99.9, "max": 100}  # percentiles
OUTSIDE = 0.05  # probability that an interval misses the true value
PAUSE = 0.01  # seconds before a rejected call is repeated


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """The amounts to measure.

    Attributes:
        calls: calls with each of BUDGETS, over all callers.
        added: calls whose search is compared with their round trip, on one position, and as many on new ones.
        seconds: duration of a search whose speed is measured.
        pairs: number of pairs of these searches, one through the service and one without it.
        cancels: number of searches to cancel.
        requests: number of requests over which the growth of the server's memory is measured.
        runs: number of starts; the median is reported.
    """

    calls: tuple[int, ...]
    added: int
    seconds: float
    pairs: int
    cancels: int
    requests: int
    runs: int = 3


WHOLE = BenchPlan((2000, 2000, 400), 500, 1.0, 30, 200, 10_000)
QUICK = BenchPlan((200, 100, 20), 100, 0.3, 10, 30, 1000)


class BenchClient:
    """A connection to a server, for requests about one position.

    Attributes:
        rejected: number of calls that the server rejected as BUSY and that were repeated.
    """

    def __init__(self, target: str, position: State, *, to_limits: bool = False) -> None:
        self.rejected = 0
        self._usual = {"seed": 1, **({"early_stop": False} if to_limits else {})}
        self._channel = grpc.insecure_channel(target)
        self.advisor: Any = AdvisorServiceStub(self._channel)
        self.rules: Any = RulesServiceStub(self._channel)
        self._position = position_message(position)

    def __enter__(self) -> "BenchClient":
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def question(self, **fields: Any) -> RecommendMoveRequest:
        """Return a request for a move."""
        return RecommendMoveRequest(**{"position": self._position} | self._usual | fields)

    def ask(self, **fields: Any) -> RecommendMoveResponse:
        """Send a request and return the answer. Raises grpc.RpcError."""
        answer: RecommendMoveResponse = self.advisor.RecommendMove(self.question(**fields), timeout=STALL)
        return answer

    def timed(self, **fields: Any) -> tuple[RecommendMoveResponse, float]:
        """Return the answer and its milliseconds; repeat a rejected call."""
        while True:
            try:
                return timed(lambda: self.ask(**fields))
            except grpc.RpcError as error:
                require_refusal(error)
            self.rejected += 1
            sleep(PAUSE)


# -- measurements ----------------------------------------------------------------------------------


def added_ms(caller: BenchClient, openings: Sequence[State]) -> dict[str, float]:
    """Return the median milliseconds of a round trip minus its search, and of an empty RulesService call.

    `recommend` uses the caller's position, which the server has read before; `new` uses each of the openings.
    """
    known, empty = [], []
    for _ in openings:
        known.append(around_search(caller))
        empty.append(timed(lambda: caller.rules.ListGames(ListGamesRequest(), timeout=STALL))[1])
    new = [around_search(caller, position=position_message(opening)) for opening in openings]
    return {"recommend": median(known), "new": median(new), "rules": median(empty)}


def around_search(caller: BenchClient, **fields: Any) -> float:
    """Return the milliseconds of a round trip minus its search."""
    answer, took = caller.timed(**SMALL, **fields)
    return took - 1e3 * answer.statistics.elapsed.ToTimedelta().total_seconds()


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a call, and its milliseconds."""
    began = monotonic()
    value = call()
    return value, 1e3 * (monotonic() - began)


def lateness(connect: Callable[[], BenchClient], budget: int, count: int, callers: int) -> dict[str, float]:
    """Return how many milliseconds after a budget of `budget` ms answers arrived, counted from sending.

    `rejected` counts the calls that were repeated; a busy machine may cause some.
    """

    def one_caller(share: int) -> tuple[list[float], int]:
        with connect() as caller:
            caller.timed(**LEAST)  # opens the connection
            return [caller.timed(time_budget=duration(budget / 1e3))[1] - budget for _ in range(share)], caller.rejected

    with ThreadPoolExecutor(callers) as threads:
        shares = [count // callers + (number < count % callers) for number in range(callers)]
        found = list(threads.map(one_caller, shares))
    late = [value for values, _ in found for value in values]
    percentiles = {name: percentile(late, share) for name, share in MEASURED.items()}
    return {"calls": len(late), "rejected": sum(rejected for _, rejected in found), **percentiles}


def speeds(caller: BenchClient, position: State, seconds: float, pairs: int) -> dict[str, float | None]:
    """Return iterations per second by the service, of whole round trips, and of the Searcher, and their ratio.

    They alternate, in pairs with one seed and in changing order, so that anything that slows the machine for longer
    than a pair slows both. `ratio` is the median of the pairs; `low` and `high` are its 95 % interval, for any
    distribution of the noise; None if there are too few pairs.
    """
    served, own = [], []
    for seed in range(pairs):
        if seed % 2:
            served.append(served_speed(caller, seconds, seed))
        own.append(own_speed(position, seconds, seed))
        if not seed % 2:
            served.append(served_speed(caller, seconds, seed))
    ratios = sorted(one / other for one, other in zip(served, own, strict=True))
    outer = outermost(pairs)
    return {
        "service_iterations_per_s": median(served),
        "searcher_iterations_per_s": median(own),
        "ratio": median(ratios),
        "low": None if outer is None else ratios[outer],
        "high": None if outer is None else ratios[-1 - outer],
    }


def served_speed(caller: BenchClient, seconds: float, seed: int) -> float:
    """Return the iterations per second of a whole round trip, without an early end."""
    answer, took = caller.timed(time_budget=duration(seconds), early_stop=False, seed=seed)
    return answer.statistics.iterations / took * 1e3


def own_speed(position: State, seconds: float, seed: int) -> float:
    """Return the iterations per second of a Searcher."""
    result = Searcher(observe(position), seed=seed, **shipped(position.game, position.seats)).run(seconds=seconds)
    return result.iterations / result.elapsed


def outermost(count: int) -> int | None:
    """Return how many of `count` sorted values lie outside a 95 % interval of their median, at each end.

    By the sign test, the number of values below the true median is that of heads of a fair coin. None if even the
    minimum and the maximum do not form such an interval, as with fewer than six values.
    """
    outside, chance = None, 0.0
    for number in range(count):
        chance += math.comb(count, number) / 2**count
        if chance > OUTSIDE / 2:
            return outside
        outside = number
    return outside


def cancel_to_free(caller: BenchClient, count: int) -> dict[str, float | None]:
    """Return how long a cancelled search keeps the only worker of a server that admits one search, in milliseconds.

    Measured from outside: from the cancellation to the answer of the next admitted call, which that worker searches,
    minus the time of an equal call on an idle server. Calls follow each other until then, so a figure is too large by
    up to one rejected call; `poll` is the median duration of these, None if none was rejected.
    """
    idle = median(caller.timed(**LEAST)[1] for _ in range(count))
    found: list[float] = []
    polls: list[float] = []
    for number in range(count):
        running = occupy(caller)
        sleep(number % PHASES / 1e3)
        began = monotonic()
        running.cancel()
        while not timed_admission(caller, polls):
            pass
        found.append(max(1e3 * (monotonic() - began) - idle, 0.0))
    poll = median(polls) if polls else None
    return {"p50": percentile(found, 50), "p99": percentile(found, 99), "max": max(found), "poll": poll}


def occupy(caller: BenchClient) -> Any:
    """Start a long search on a server that admits one, and return its call once it is admitted.

    Calls may overtake each other. A call that is rejected because another search is admitted is repeated.
    """
    while True:
        running = caller.advisor.RecommendMove.future(
            caller.question(time_budget=duration(STALL), early_stop=False), timeout=STALL
        )
        while not running.done() and admitted(caller):
            pass
        if not running.done():
            return running


def admitted(caller: BenchClient) -> bool:
    """Request the shortest search; return whether it was admitted."""
    try:
        caller.ask(**LEAST)
    except grpc.RpcError as error:
        require_refusal(error)
        return False
    return True


def require_refusal(error: grpc.RpcError) -> None:
    """Re-raise the error unless the server had no room."""
    if error.code() != grpc.StatusCode.RESOURCE_EXHAUSTED:
        raise error


def timed_admission(caller: BenchClient, rejected: list[float]) -> bool:
    """Like `admitted`, but record the milliseconds of a rejection."""
    done, took = timed(lambda: admitted(caller))
    if not done:
        rejected.append(took)
    return bool(done)


def start_s(runs: int) -> float:
    """Return the median seconds from the start of a server's process until it reports that it serves."""
    found = []
    for _ in range(runs):
        began = monotonic()
        with embedded_child():
            found.append(monotonic() - began)
    return median(found)


def memory(child: Child, caller: BenchClient, requests: int) -> dict[str, int | None]:
    """Return the growth of the server's memory in bytes over some requests, after a warm-up of a tenth of them."""
    for _ in range(requests // 10):
        caller.timed(**LEAST)
    before = resident(child.process)
    for _ in range(requests):
        caller.timed(**LEAST)
    after = resident(child.process)
    growth = None if before is None or after is None else after - before
    return {"requests": requests, "resident_bytes": after, "growth_bytes": growth}


def resident(process: int) -> int | None:
    """Return the resident memory of a process in bytes; None if /proc does not show it."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text().split()[1]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


# -- all measurements ----------------------------------------------------------------------------


def measure(
    position: State,
    plan: BenchPlan,
    callers: int,
    *,
    to_limits: bool = False,
    done: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Return all figures, one measurement after another, each with a private server; call `done` after each."""
    before, connect = reference(), partial(BenchClient, position=position, to_limits=to_limits)
    openings = [first_decision(position.game.name, position.seats, 1 + seed) for seed in range(plan.added)]
    with embedded_child("--workers", str(callers)) as child, connect(child.target) as caller:
        added = added_ms(caller, openings)
        done()
        late = {}
        for budget, count in zip(BUDGETS, plan.calls, strict=True):
            late[str(budget)] = lateness(partial(connect, child.target), budget, count, callers)
            done()
        speed = speeds(caller, position, plan.seconds, plan.pairs)
        done()
    with embedded_child("--workers", str(callers)) as child, connect(child.target) as caller:
        kept = memory(child, caller, plan.requests)
        done()
    with embedded_child("--workers", "1", "--max-searches", "1") as child, connect(child.target) as caller:
        freed = cancel_to_free(caller, plan.cancels)
        done()
    return {
        "added_ms": added,
        "lateness_ms": late,
        "speed": speed,
        "cancel_to_free_ms": freed,
        "start_s": start_s(plan.runs),
        "memory": kept,
        "reference_ns": median((before, reference(), reference())),
    }
