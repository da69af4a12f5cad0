from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clerestory.figures import Outlook

FIELDS: tuple[str, ...]
DOUBTFUL: int
PROPORTION: float

class Line:
    action: str
    label: str
    visits: int
    availability: int
    margin: float
    margin_error: float
    score: float
    score_error: float
    lower_bound: float
    loss: float
    principal_variation: tuple[str, ...]
    probability: float | None
    outlook: tuple[Outlook, ...]
    def __init__(
        self,
        action: str,
        label: str,
        visits: int,
        availability: int,
        win_shares: Sequence[float],
        standard_errors: Sequence[float],
        margin: float,
        margin_error: float,
        score: float,
        score_error: float,
        lower_bound: float,
        loss: float,
        principal_variation: tuple[str, ...],
        probability: float | None = None,
        outlook: tuple[Outlook, ...] = (),
    ) -> None: ...
    @property
    def win_shares(self) -> tuple[float, ...]: ...
    @property
    def standard_errors(self) -> tuple[float, ...]: ...
    def changed(self, **figures: Any) -> Line: ...

def ranked(lines: Iterable[Line], choice: str, *, settled: bool = ..., deviations: float = ...) -> tuple[Line, ...]: ...
def is_doubtful(line: Line, best: Line) -> bool: ...
def likeliest(lines: Iterable[Line], odds: Mapping[str, float]) -> tuple[Line, ...]: ...
def combined(one: float, other: float) -> float: ...
