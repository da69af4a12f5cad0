"""What a search has to say: a table of lines, never only a move."""

from dataclasses import dataclass
from enum import StrEnum
from math import hypot
from statistics import NormalDist
from typing import Any


class StopReason(StrEnum):
    """Why a search ended."""

    TIME = "time"  # its deadline came
    ITERATIONS = "iterations"  # it had run as many as it was allowed
    STOPPED = "stopped"  # somebody called stop()
    DECIDED = "decided"  # what was left of its limits could not have changed the best line
    CERTAIN = "certain"  # whoever asked found its certainty enough
    PAUSED = "paused"  # it has not ended, and can go on


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a line is expected to bring in one feature, to the seat to decide.

    Attributes:
        feature: its name, one of the game's.
        now: its value at the root.
        at_round_end: its mean when the present round is over; at the end of the game in the last one.
        at_game_end: its mean at the end of the game.
    """

    feature: str
    now: float
    at_round_end: float
    at_game_end: float


@dataclass(frozen=True, slots=True)
class Line:
    """One legal action of the root, and what the search knows of it.

    Attributes:
        action: its text.
        label: the same in plain English.
        visits: iterations that tried it.
        availability: iterations in which it was legal.
        values: mean win share per seat, 0 to 1; 0 where it was never tried.
        errors: standard error of each value, as if iterations were independent; 0.5 before the second visit.
        margin: mean margin of the deciding seat, points: its score less the best other; 0 where never tried.
        score: mean reward of the deciding seat, 0 to 1, what the search maximizes; its win share unless the
            options say otherwise; 0 where it was never tried.
        doubt: standard error of the score.
        lower: lower confidence bound of the score; below 0 where little is known.
        loss: margin of the best line less this one's, points; below 0 where the best line has not the highest
            margin; 0 where it was never tried.
        variation: the principal variation, this action first: the most visited replies, and chance events
            that have one possible outcome, as far as nothing unknown is needed to go on.
        probability: of an outcome, by what everyone can see; None for an action.
        outlook: one element for each feature, where the line was explained; else ().
    """

    action: str
    label: str
    visits: int
    availability: int
    values: tuple[float, ...]
    errors: tuple[float, ...]
    margin: float
    margin_error: float
    score: float
    doubt: float
    lower: float
    loss: float
    variation: tuple[str, ...]
    probability: float | None = None
    outlook: tuple[Outlook, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a search.

    Attributes:
        seat: the seat to decide; at a chance event the one that asked, NATURE (-1) for an onlooker.
        observer: the seat whose knowledge was used, NATURE (-1) for an onlooker; mostly the same.
        lines: every action that was searched, best first; at a chance event its outcomes, likeliest first.
        iterations: determinizations searched from this position.
        reused: iterations of earlier positions of a warm tree whose statistics stand in the lines besides;
            above 0, the result does not follow from the seed alone.
        threads: trees that were searched side by side and added up.
        nodes: information sets in memory.
        bytes: memory of the tree.
        depth: decisions from the root to the deepest information set.
        elapsed: seconds spent searching.
        stopped: why it ended.
        memory_full: the tree stopped growing because of its limit; the search went on with what it had.
        seed: of all its luck.
        reason: what the best line gains over the next one, a sentence, where they were explained; else "".
    """

    seat: int
    observer: int
    lines: tuple[Line, ...]
    iterations: int
    reused: int
    threads: int
    nodes: int
    bytes: int
    depth: int
    elapsed: float
    stopped: StopReason
    memory_full: bool
    seed: int
    reason: str = ""

    @property
    def best(self) -> Line:
        """The line to play."""
        return self.lines[0]

    def arrays(self) -> dict[str, Any]:
        """Return the table of lines as NumPy arrays, for those who have NumPy; best line first.

        Keys: `action` (texts); `visits`, `availability` (int64); `values`, `errors` (float64, lines x seats);
        `margin`, `margin_error`, `score`, `doubt`, `lower`, `loss` (float64). Raises ImportError without NumPy.
        """
        import numpy as np

        table: dict[str, Any] = {"action": np.array([line.action for line in self.lines])}
        for name in ("visits", "availability"):
            table[name] = np.array([getattr(line, name) for line in self.lines], dtype=np.int64)
        for name in ("values", "errors", "margin", "margin_error", "score", "doubt", "lower", "loss"):
            table[name] = np.array([getattr(line, name) for line in self.lines], dtype=np.float64)
        return table

    @property
    def certainty(self) -> float:
        """Probability that the best line is the best: against its closest rival, as if scores were normal."""
        best, *rivals = self.lines
        return min((exceeds(best, rival) for rival in rivals if rival.visits), default=1.0)


def exceeds(line: Line, rival: Line) -> float:
    """Return the probability that a line's true score is the greater of two."""
    doubt = hypot(line.doubt, rival.doubt)
    if doubt == 0:
        return 0.5 + 0.5 * (line.score > rival.score) - 0.5 * (line.score < rival.score)
    return NormalDist().cdf((line.score - rival.score) / doubt)
