from clerestory.engine.core import State
from clerestory.search.result import Result

PLAIN_EXPLORATION: float
DEFAULT_MAX_BYTES: int

class Searcher:
    def __init__(
        self,
        position: State,
        seat: int | None = None,
        *,
        seed: int,
        exploration: float = ...,
        max_bytes: int = ...,
    ) -> None: ...
    @property
    def iterations(self) -> int: ...
    def run(
        self, *, seconds: float | None = None, deadline: float | None = None, iterations: int | None = None
    ) -> Result: ...
    def stop(self) -> None: ...
    def result(self) -> Result: ...
