"""The result of a search: a table of lines, never only a move."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from clerestory.i18n.sentences import Text
from clerestory.search.gains import Gain
from clerestory.search.lines import Line

FIGURES = (
    *("win_shares", "standard_errors", "margin", "margin_error"),
    *("score", "score_error", "lower_bound", "loss"),
)  # columns of lines, all of them real numbers


class StopReason(StrEnum):
    """Why a search ended."""

    TIME = "time"  # it reached its deadline
    ITERATIONS = "iterations"  # it reached its number of iterations
    STOPPED = "stopped"  # stop() was called
    DECIDED = "decided"  # the rest of its time and iterations could not have changed the best line
    CERTAIN = "certain"  # it reached the requested certainty
    PAUSED = "paused"  # it has not ended and can be resumed


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a search.

    Attributes:
        seat: the seat to decide; at a chance event the seat to be advised, NATURE (-1) for an onlooker.
        observer: the seat whose knowledge was used, NATURE (-1) for an onlooker; usually equal to `seat`.
        lines: every action searched, best first; at a chance event its outcomes, most likely first.
        iterations: number of determinizations searched from this position.
        reused_iterations: number of iterations from earlier positions of a warm tree that the lines also include; if
            above 0, the result does not depend on the seed alone.
        threads: number of threads that searched the tree.
        nodes: information sets in memory.
        tree_bytes: memory of the tree.
        depth: number of decisions from the root to the deepest information set.
        elapsed: seconds spent searching.
        stop_reason: why the search ended.
        memory_full: whether the tree reached its memory limit; its least visited nodes then make room for new ones.
        seed: seed of all random choices.
        certainty: estimated share of searches ten times longer that would choose the same best line, 0 to 1; 1 if
            there is only one line. Meaningless at a chance event.
        reason: sentences on what the best line gains over the next, if the lines were explained; else "".
        reasons: the same as codes and arguments.
        gains: gains of the best line over the next that exceed chance, if the lines were explained.
        explained: whether the lines were explained and there are two to compare.
        given_up: most visits to a node that was removed because memory was full; 0 if none was.
        reproducible: whether a fresh search by one thread with the same seed, limited only by the same iterations,
            gives the same lines.
    """

    seat: int
    observer: int
    lines: tuple[Line, ...]
    iterations: int
    reused_iterations: int
    threads: int
    nodes: int
    tree_bytes: int
    depth: int
    elapsed: float
    stop_reason: StopReason
    memory_full: bool
    seed: int
    certainty: float
    reason: str = ""
    reasons: tuple[Text, ...] = ()
    gains: tuple[Gain, ...] = ()
    explained: bool = False
    given_up: int = 0
    reproducible: bool = field(default=False, repr=False)  # not printed: tests keep digests of the printed form

    @property
    def best(self) -> Line:
        """The line to play."""
        return self.lines[0]

    def arrays(self) -> dict[str, Any]:
        """Return the table of lines as NumPy arrays, best line first. Raises ImportError without NumPy.

        Keys: `action` (texts); `visits`, `availability` (int64); `win_shares`, `standard_errors` (float64, lines x
        seats); `margin`, `margin_error`, `score`, `score_error`, `lower_bound`, `loss` (float64).
        """
        import numpy as np

        table: dict[str, Any] = {"action": np.array([line.action for line in self.lines])}
        for name in ("visits", "availability"):
            table[name] = np.array([getattr(line, name) for line in self.lines], dtype=np.int64)
        for name in FIGURES:
            table[name] = np.array([getattr(line, name) for line in self.lines], dtype=np.float64)
        return table
