from collections.abc import Callable, Sequence
from typing import Any

from clerestory.search.gains import Gain
from clerestory.search.lines import Outlook
from clerestory.search.result import Result, StopReason
from clerestory.search.root import Root
from clerestory.search.turns import Worker

class Searcher:
    seed: int
    def __init__(
        self,
        root: Root,
        *,
        seed: int,
        max_bytes: int = ...,
        max_visits: int = ...,
        clock: Callable[[], float] | None = ...,
        **options: Any,  # the fields of Options
    ) -> None: ...
    @property
    def iterations(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    def run(
        self,
        *,
        seconds: float | None = None,
        deadline: float | None = None,
        iterations: int | None = None,
        threads: int = 1,
        early: bool = False,
    ) -> Result: ...
    def allow(self, iterations: int | None) -> None: ...
    def step(
        self,
        pause: float,
        *,
        deadline: float,
        thread: int = ...,
        threads: int = ...,
        early: bool = ...,
        worker: Worker | None = ...,
    ) -> tuple[StopReason, int]: ...
    def stop(self) -> None: ...
    def hold(self) -> None: ...
    def release(self) -> None: ...
    def advance(self, root: Root) -> None: ...
    def explain(self, result: Result, *, lines: int = 5, worlds: int = 100, plies: int = 1 << 40) -> Result: ...
    def foresee(
        self, actions: Sequence[str], *, worlds: int = 100, plies: int = 1 << 40
    ) -> tuple[list[tuple[Outlook, ...]], tuple[Gain, ...]]: ...
    def result(self, stop_reason: StopReason | None = None) -> Result: ...
