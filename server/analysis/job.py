"""The state of an admitted search, from its admission to its end."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from clerestory.search.result import StopReason
from clerestory.server.analysis.allowance import Allowance
from clerestory.server.analysis.demand import TreeTask
from clerestory.server.analysis.lazy import LazySearcher
from clerestory.spans import UNTRACED, Span


@dataclass(eq=False, slots=True)
class Job:
    """An admitted search.

    Attributes:
        allowance: its limits.
        began: when its first iteration began, by time.monotonic; None before.
        ended: why it ended; None before.
        ended_at: when it ended, by time.monotonic.
        finishing: whether it was ended by a shutdown.
        failure: the exception of the search; None if there was none.
        done: set once it has ended and no worker is searching.
        span: the span from admission until the search is dropped.
    """

    searcher: LazySearcher
    allowance: Allowance
    loop: asyncio.AbstractEventLoop
    trees: list[TreeTask] = field(default_factory=list)
    began: float | None = None
    ended: StopReason | None = None
    ended_at: float = 0.0
    finishing: bool = False
    failure: Exception | None = None
    done: asyncio.Event = field(default_factory=asyncio.Event)
    over: int = 0  # number of ended threads, without helpers
    rested: Callable[[], None] | None = None
    timer: asyncio.TimerHandle | None = None
    span: Span = UNTRACED

    @property
    def due(self) -> float:
        """When it ended or should have ended, whichever came first, by time.monotonic."""
        return min(self.ended_at, self.allowance.budget.deadline)

    @property
    def waited(self) -> float:
        """Seconds from its arrival to its first iteration."""
        arrived = self.allowance.budget.arrived
        return (self.began or arrived) - arrived

    @property
    def resting(self) -> bool:
        """Whether no worker is searching."""
        return not any(tree.running for tree in self.trees)

    def close(self) -> None:
        """Signal that it is done; called by the event loop."""
        self.done.set()
        if self.timer is not None:
            self.timer.cancel()
