"""Estimates how sure a choice is: the share of searches ten times longer that would choose the same action.

The standard errors of the lines do not give it: they assume independent iterations, while a longer search finds better
replies and changes the values themselves. It is therefore fitted on pairs of searches (`tools/lab/certainty.py`).
"""

from collections.abc import Sequence

from clerestory.engine.elementary import exp, log
from clerestory.search.lines import Line, combined
from clerestory.sums import total

MOST_ERRORS = 10.0  # largest lead, in standard errors


def certainty(lines: Sequence[Line], weights: Sequence[float]) -> float:
    """Return the share, 0 to 1; 1 if there is only one line.

    Args:
        lines: lines of a search, best first.
        weights: weights of the evidence, from the game's tuning.
    """
    if len(lines) < 2:
        return 1.0
    evidence_sum = total(weight * one for weight, one in zip(weights, evidence(lines), strict=True))
    return 1 / (1 + exp(-evidence_sum))


def evidence(lines: Sequence[Line]) -> tuple[float, float, float, float]:
    """Return the inputs of the fit: 1, the logarithms of all visits and of the lead in visits, and the lead in score.

    Leads are over the line with the next most visits; the lead in score is in standard errors.
    """
    best, *rivals = lines
    rival = max(rivals, key=lambda line: line.visits)
    visits = sum(line.visits for line in lines)
    return 1.0, log(visits + 1), log((best.visits + 1) / (rival.visits + 1)), errors(best, rival)


def errors(best: Line, rival: Line) -> float:
    """Return the lead in score in standard errors, at most MOST_ERRORS."""
    error = combined(best.score_error, rival.score_error)
    lead = best.score - rival.score if rival.visits else 0.0
    return max(-MOST_ERRORS, min(lead / error, MOST_ERRORS)) if error else MOST_ERRORS * (lead > 0)
