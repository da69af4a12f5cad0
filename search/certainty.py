"""How sure a choice is: the share of searches ten times longer that would name the same action.

The standard errors of the lines do not say it: they take iterations as independent, while a search that goes on finds
better replies and changes the values themselves. So the share is fitted on pairs of searches (`tools/certainty.py`).
"""

from collections.abc import Sequence
from math import exp, hypot, log

from clerestory.search.lines import Line

MOST_ERRORS = 10.0  # of a lead, in standard errors


def certainty(lines: Sequence[Line], weights: Sequence[float]) -> float:
    """Return the share, 0 to 1; 1 where there is but one line.

    Args:
        lines: of a search, best first.
        weights: of the evidence, those of the game's tuning.
    """
    if len(lines) < 2:
        return 1.0
    sum_ = sum(weight * one for weight, one in zip(weights, evidence(lines), strict=True))
    return 1 / (1 + exp(-sum_))


def evidence(lines: Sequence[Line]) -> tuple[float, float, float, float]:
    """Return what the share follows from: 1, logarithms of all visits and of the lead in visits, the lead in score.

    The lead is that over the next line in visits; in score it is in standard errors.
    """
    best, *rivals = lines
    rival = max(rivals, key=lambda line: line.visits)
    total = sum(line.visits for line in lines)
    return 1.0, log(total + 1), log((best.visits + 1) / (rival.visits + 1)), errors(best, rival)


def errors(best: Line, rival: Line) -> float:
    """Return the lead in score in standard errors, MOST_ERRORS at most."""
    error = hypot(best.score_error, rival.score_error)
    lead = best.score - rival.score if rival.visits else 0.0
    return max(-MOST_ERRORS, min(lead / error, MOST_ERRORS)) if error else MOST_ERRORS * (lead > 0)
