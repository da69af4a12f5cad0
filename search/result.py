"""What a search has to say: a table of lines, never only a move."""

from dataclasses import dataclass
from enum import StrEnum


class StopReason(StrEnum):
    """Why a search ended."""

    TIME = "time"  # its deadline came
    ITERATIONS = "iterations"  # it had run as many as it was allowed
    STOPPED = "stopped"  # somebody called stop()


@dataclass(frozen=True, slots=True)
class Line:
    """One legal action of the root, and what the search knows of it.

    Attributes:
        action: its text.
        label: the same in plain English.
        visits: iterations that tried it.
        availability: iterations in which it was legal.
        values: mean win share per seat, 0 to 1; 0 where it was never tried.
    """

    action: str
    label: str
    visits: int
    availability: int
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a search.

    Attributes:
        seat: the seat that decides and whose knowledge was used.
        lines: every action that was legal, best first.
        iterations: determinizations searched.
        nodes: information sets in memory.
        bytes: memory of the tree.
        depth: decisions from the root to the deepest information set.
        elapsed: seconds spent searching.
        stopped: why it ended.
        memory_full: the tree stopped growing because of its limit; the search went on with what it had.
        seed: of all its luck.
    """

    seat: int
    lines: tuple[Line, ...]
    iterations: int
    nodes: int
    bytes: int
    depth: int
    elapsed: float
    stopped: StopReason
    memory_full: bool
    seed: int

    @property
    def best(self) -> Line:
        """The line to play."""
        return self.lines[0]
