"""A clock for searches that advances with their iterations and with delays: waits, preemptions, page faults."""

from collections.abc import Callable
from typing import Any

from clerestory.engine import State
from clerestory.search.ismcts import Searcher
from clerestory.search.root import observe

Hiccup = Callable[[int, int, int], bool]  # (slice, reading in the slice, iterations so far)
FIRST_LOOK = 2  # after the readings at the beginning of a step and of its loop

HICCUPS: dict[str, tuple[Hiccup, float]] = {  # when they occur, and the seconds that each takes
    "none": (lambda turn, reading, iterations: False, 0.0),
    "page fault": (lambda turn, reading, iterations: reading == FIRST_LOOK, 0.0005),
    "preemption": (lambda turn, reading, iterations: reading == FIRST_LOOK and turn % 3 == 0, 0.02),
    "preemption late in a slice": (lambda turn, reading, iterations: reading == FIRST_LOOK + 9, 0.02),
    "doubling of the table": (lambda turn, reading, iterations: reading > 9 and iterations.bit_count() == 1, 0.02),
}


class Clock:
    """The clock of a search: a fixed time per iteration, plus delays.

    Args:
        iterations_per_s: speed of the search while it runs.
        hiccup: one of HICCUPS.
        begin: the first reading, in seconds.
    """

    def __init__(self, iterations_per_s: float, hiccup: str = "none", begin: float = 0.0) -> None:
        self.searcher: Searcher | None = None
        self._cost = 1 / iterations_per_s
        self._comes, self._takes = HICCUPS[hiccup]
        self._lost = begin
        self._reading = self._turn = 0

    def __call__(self) -> float:
        """Return the time in seconds."""
        if self.searcher is not None and self._comes(self._turn, self._reading, self.searcher.iterations):
            self._lost += self._takes
        self._reading += 1
        return self.now

    @property
    def now(self) -> float:
        """The time; reading this property has no effect."""
        return self._lost + self._cost * (self.searcher.iterations if self.searcher else 0)

    def wait(self, seconds: float) -> None:
        """Wait; the next slice begins afterwards."""
        self._lost += seconds
        self._turn += 1
        self._reading = 0

    def move(self, position: State, **options: Any) -> None:
        """Advance the search; its iterations restart from 0, time continues."""
        assert self.searcher is not None
        self._lost = self.now
        self.searcher.advance(observe(position, **options))
        self._reading = 0

    def calm(self) -> None:
        self._comes = HICCUPS["none"][0]


def timed_search(clock: Clock, position: State, **options: Any) -> Searcher:
    clock.searcher = Searcher(observe(position), clock=clock, **options)
    return clock.searcher
