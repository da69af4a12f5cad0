"""The losses of the net, with their gradients with respect to its outputs.

For positions, half of the weight is on the results and half on the search's estimates: squared error for the points
still to be scored, cross entropy for win shares. For lines, only the differences within one decision count. A search
needs them, and results contain almost no information about them; absolute levels are learned from positions.
"""

from typing import NamedTuple

import numpy as np

from clerestory.search.training.columns import Array
from clerestory.search.training.net import SCALE, Outputs, softmax
from clerestory.search.training.samples import Lines, PositionRows

RESULTS = 0.5  # weight of the results of games; the rest is the search's
SIBLING_POINTS = 3.0  # difference in points that counts as one unit between lines of a decision
SIBLING_ODDS = 0.5  # the same for logarithms of odds


class Loss(NamedTuple):
    """The loss of a batch and its gradients (N, seats)."""

    value: float
    d_score: Array
    d_strength: Array


def loss_of_positions(outputs: Outputs, points: Array, positions: PositionRows) -> Loss:
    """Return the loss of positions, given the current points of their seats (N, seats)."""
    rows = np.arange(len(points))
    error = outputs.score - (positions.scores - points) / SCALE
    total = points / SCALE + outputs.score
    others = 1 / (points.shape[1] - 1)
    own = total[rows, positions.seat]
    lead_error = own - (total.sum(axis=1) - own) * others - positions.lead / SCALE
    d_lead = np.full_like(error, -others)
    d_lead[rows, positions.seat] = 1
    shares = softmax(outputs.strength)
    target = RESULTS * positions.returns + (1 - RESULTS) * positions.shares
    entropy = -(target * np.log(np.maximum(shares, 1e-9))).sum(axis=1).mean()
    value = RESULTS * (error**2).mean() + (1 - RESULTS) * (lead_error**2).mean() + entropy
    d_score = 2 * RESULTS * error / error.size + 2 * (1 - RESULTS) * lead_error[:, None] * d_lead / len(rows)
    return Loss(float(value), d_score, (shares - target) / len(rows))


def loss_of_lines(outputs: Outputs, points: Array, lines: Lines) -> Loss:
    """Return the loss of the lines of whole decisions, given the current points of their seats (N, seats)."""
    total = points / SCALE + outputs.score
    rows, best = np.arange(len(points)), best_other(total, lines.seat)
    margins = (total[rows, lines.seat] - total[rows, best]) * SCALE
    raised, d_odds = odds_of_seat(outputs.strength, lines.seat)
    value, d_margin = differences(margins, lines.margin, lines, SIBLING_POINTS)
    more, d_raised = differences(raised, lines.odds, lines, SIBLING_ODDS)
    d_score = np.zeros_like(outputs.score)
    d_score[rows, lines.seat] = d_margin * SCALE
    d_score[rows, best] -= d_margin * SCALE
    return Loss(value + more, d_score, d_raised[:, None] * d_odds)


def best_other(total: Array, seat: Array) -> Array:
    """Return the best value of the other seats, row by row."""
    others = total.copy()
    others[np.arange(len(total)), seat] = -np.inf
    best: Array = others.argmax(axis=1)
    return best


def odds_of_seat(strength: Array, seat: Array) -> tuple[Array, Array]:
    """Return the logarithm of the odds that a seat wins, and its gradient with respect to strength."""
    rows = np.arange(len(strength))
    others = strength.copy()
    others[rows, seat] = -np.inf
    shares = softmax(others)
    top = others.max(axis=1)
    raised = strength[rows, seat] - top - np.log(np.exp(others - top[:, None]).sum(axis=1))
    gradient = -shares
    gradient[rows, seat] = 1
    return raised, gradient


def differences(found: Array, wanted: Array, lines: Lines, unit: float) -> tuple[float, Array]:
    """Return the weighted mean square of errors about their mean in each decision, in units, and its gradient."""
    _, place = np.unique(lines.decision, return_inverse=True)
    weight = lines.weight / lines.weight.sum()
    error = (found - wanted) / unit
    mean = np.bincount(place, weight * error) / np.bincount(place, weight)
    centred = error - mean[place]
    return float((weight * centred**2).sum()), 2 * weight * centred / unit
