"""The search of a query, from its admission until it is dropped: its limits, its threads, and why it ended."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import floor

from clerestory.search.rates import RateEstimator
from clerestory.search.result import Result, StopReason
from clerestory.server.analysis.answer import Answer, Remark, remarks_on
from clerestory.server.analysis.demand import TreeTask
from clerestory.server.analysis.lazy import LazySearcher
from clerestory.server.analysis.limits import Limits
from clerestory.server.analysis.question import Question
from clerestory.spans import UNTRACED, Span


@dataclass(eq=False, slots=True)
class ActiveSearch:
    """The search of a query. Moments are readings of time.monotonic.

    Attributes:
        question: the query.
        searcher: its tree.
        limits: the granted limits: seconds from the arrival until the answer leaves, iterations, threads, bytes.
        arrived: when the query arrived.
        deadline: when the search must end, so that its answer leaves in time.
        cuts: the reductions of requested limits.
        helpers: number of further threads, for otherwise idle workers.
        rates: estimates exchange rates in the turns of the first thread; None if none are wanted.
        trees: its threads, once it is admitted.
        began: when its first iteration began; None before.
        ended: why it ended; None before.
        ended_at: when it ended.
        finishing: whether it was ended by a shutdown.
        failure: the exception of the search; None if there was none.
        done: set once it has ended and no worker is searching.
        over: number of ended threads, without helpers.
        rested: called once no worker is searching; None without a waiter.
        timer: ends the search at its deadline.
        span: the span from admission until the search is dropped.
        sequence: number of the last answer of a stream; 0 before the first.
        pace: time before which no further answer of a stream is built.
    """

    question: Question
    searcher: LazySearcher
    limits: Limits
    arrived: float
    deadline: float
    cuts: Sequence[Remark] = ()
    helpers: int = 0
    rates: RateEstimator | None = None
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    trees: list[TreeTask] = field(default_factory=list)
    began: float | None = None
    ended: StopReason | None = None
    ended_at: float = 0.0
    finishing: bool = False
    failure: Exception | None = None
    done: asyncio.Event = field(default_factory=asyncio.Event)
    over: int = 0
    rested: Callable[[], None] | None = None
    timer: asyncio.TimerHandle | None = None
    span: Span = UNTRACED
    sequence: int = 0
    pace: float = 0.0

    @property
    def due(self) -> float:
        """When it ended or should have ended, whichever came first."""
        return min(self.ended_at, self.deadline)

    @property
    def waited(self) -> float:
        """Seconds from its arrival to its first iteration."""
        return (self.began or self.arrived) - self.arrived

    @property
    def resting(self) -> bool:
        """Whether no worker is searching."""
        return not any(tree.running for tree in self.trees)

    @property
    def ticks(self) -> int:
        """The number of a stream's intervals from the arrival of the query until now, or until its search ended."""
        now = time.monotonic() if self.ended is None else self.ended_at
        return floor((now - self.arrived) / self.limits.interval)

    def close(self) -> None:
        """Signal that it is done; called by the event loop."""
        self.done.set()
        if self.timer is not None:
            self.timer.cancel()

    def answer(self, result: Result, *, final: bool = False, due: float = 0.0, explained: bool = False) -> Answer:
        """Return the answer for a result; the arguments are those of `Answer`."""
        rates = () if self.rates is None else self.rates.rates()
        missing = final and self.rates is not None and not rates
        return Answer(
            question=self.question,
            result=result,
            remarks=(*self.cuts, *remarks_on(result, finishing=self.finishing, rates_missing=missing)),
            arrived=self.arrived,
            seconds=self.limits.seconds,
            waited=self.waited,
            sequence=self.sequence,
            final=final,
            due=due,
            explained=explained,
            rates=rates,
        )
