"""The lines of a result, and their order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from operator import attrgetter

from clerestory.figures import Outlook as Outlook
from clerestory.search.options import POINT, SETTLED_VISITS, WELL_VISITED

WIDEST_ERROR = 0.5  # largest standard error of a number between 0 and 1
DOUBTFUL = 200  # visits; a line with fewer, or too few relative to the first line, may have unreliable figures
PROPORTION = 0.02  # of the visits of the first line


@dataclass(slots=True, unsafe_hash=True)
class Line:
    """One legal action of the root, with the search's estimates. Treat it as immutable once it is part of a result.

    It is not frozen, because results have dozens of lines, and frozen ones take eight times as long to create.

    Attributes:
        action: text of the action.
        label: the same in plain English.
        visits: number of iterations that tried it.
        availability: number of iterations in which it was legal.
        win_shares: win share of each seat, 0 to 1: the mean over the iterations, calibrated by the option `sharpness`
            for players as strong as the search; 0 if it was never tried.
        standard_errors: standard error of each win share, as if iterations were independent; at most 0.5, the value
            before the second visit.
        margin: mean margin of the deciding seat, points: its score minus the best other; 0 if it was never tried.
        margin_error: standard error of the margin, points; infinite before the second visit.
        score: mean reward of the deciding seat, which the search maximizes: its mean win share, or its margin on the
            game's scale, where 0.5 is a margin of 0 and most are between 0 and 1; 0 if it was never tried.
        score_error: standard error of the score.
        lower_bound: lower confidence bound of the score; below 0 when little is known.
        loss: margin of the best line minus that of this one, points; negative if this line has the higher margin; 0 if
            it was never tried.
        principal_variation: this action, then the most visited replies and any chance event with a single possible
            outcome, for as long as no hidden information is needed to continue.
        probability: probability of an outcome, given what everyone can see; None for an action.
        outlook: one element for each feature if the line was explained; else ().
    """

    action: str
    label: str
    visits: int
    availability: int
    win_shares: tuple[float, ...]
    standard_errors: tuple[float, ...]
    margin: float
    margin_error: float
    score: float
    score_error: float
    lower_bound: float
    loss: float
    principal_variation: tuple[str, ...]
    probability: float | None = None
    outlook: tuple[Outlook, ...] = ()


def ranked(lines: Iterable[Line], choice: str, *, settled: bool = False, deviations: float = 2.0) -> tuple[Line, ...]:
    """Sort new lines into display order, and set their losses.

    The line to play comes first: by the final choice rule or, once the win is settled, by the lower bound of the reward
    used there. The others follow by their lower bounds, highest first, so that no line ranks above another only because
    its error is large. The doubtful ones come last, by visits. Ties keep their given order.
    """
    by_visits = sorted(lines, key=lambda line: -line.visits)
    bound = partial(settled_bound, deviations=deviations) if settled else attrgetter("lower_bound")
    enough = (SETTLED_VISITS if settled else WELL_VISITED) * by_visits[0].visits
    best = by_visits[0]
    if settled or choice == "bound":
        best = max((line for line in by_visits if line.visits >= enough), key=bound)

    def place(line: Line) -> tuple[bool, bool, float]:
        doubtful = is_doubtful(line, best)
        return line is not best, doubtful, -line.visits if doubtful else -bound(line)

    order = sorted(by_visits, key=place)
    for line in order:
        if line.visits:
            line.loss = best.margin - line.margin
    return tuple(order)


def is_doubtful(line: Line, best: Line) -> bool:
    """Whether an action was tried too rarely, in absolute terms or against the line to play, to compare its figures."""
    return line.visits < min(DOUBTFUL, PROPORTION * best.visits)


def settled_bound(line: Line, deviations: float) -> float:
    """Return the lower bound of a line's win share and points combined."""
    error = line.score_error + POINT * line.margin_error
    return line.score + POINT * line.margin - deviations * error


def likeliest(lines: Iterable[Line], odds: Mapping[str, float]) -> tuple[Line, ...]:
    """Return the outcomes of a chance event with their probabilities, most likely first."""
    outcomes = (replace(line, probability=odds[line.action]) for line in lines)
    return tuple(sorted(outcomes, key=lambda line: -odds[line.action]))


def combined(one: float, other: float) -> float:
    """Return the standard error of the difference of two independent means, given theirs."""
    return sqrt(one * one + other * other)
