"""Figures of a value's predictions on held-out games."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from clerestory.search.training.columns import Array
from clerestory.search.training.fit import Encode
from clerestory.search.training.losses import best_other, odds_of_seat
from clerestory.search.training.net import SCALE, NetWeights, forward, softmax
from clerestory.search.training.samples import Lines, PositionRows, Samples, best_temper

BINS = 10  # of win shares, equally wide
PIECE = 4096  # positions evaluated in one batch
Figures = dict[str, Any]


def figures(weights: NetWeights, held_out: Samples, encode: Encode) -> Figures:
    """Return the figures of weights on held-out games with one number of seats.

    `positions`, their number; `r2`, of the final margin of the seat to decide; `bias`, mean predicted margin minus the
    true one, points; `log_loss`, in nats; `brier`, summed over the seats; `ece`, expected calibration error of the win
    shares of all seats; `reliability`, the table behind it; `order`, the correlation of the values of a decision's
    lines with the search's. `rounds` has the same by round, without `order`.
    """
    totals, shares = foresee(weights, held_out.positions.state, encode)
    positions = held_out.positions
    return {
        **of_positions(totals, shares, positions, np.ones(len(positions.seat), bool)),
        "order": order(weights, held_out.lines, encode),
        "rounds": {
            int(number): of_positions(totals, shares, positions, positions.round == number)
            for number in np.unique(positions.round)
        },
    }


def foresee(weights: NetWeights, states: Array, encode: Encode) -> tuple[Array, Array]:
    """Return the predicted final scores, in points, and win shares (N, seats)."""
    totals, shares = [], []
    for first in range(0, len(states), PIECE):
        own, table, points = encode(states[first : first + PIECE])
        outputs = forward(weights, own, table)
        totals.append(points + outputs.score * SCALE)
        shares.append(softmax(outputs.strength))
    return np.concatenate(totals), np.concatenate(shares)


def calibrated(weights: NetWeights, samples: Mapping[int, Samples], encode: Encode) -> NetWeights:
    """Return weights with all strengths scaled by the factor that fits the results best; unchanged without samples.

    Lines of a decision, which only contain differences, make a fit underconfident. Many games of an earlier generation,
    or a few used too often, make it overconfident. The samples are therefore held-out games of the newest generation.
    """
    parts = [part.positions for part in samples.values() if len(part.positions.seat)]
    if not parts:
        return weights
    logs = [np.log(np.maximum(foresee(weights, part.state, encode)[1], 1e-9)) for part in parts]
    factor = best_temper(logs, [part.returns for part in parts])
    return {**weights, "strength": (weights["strength"] * factor).astype(weights["strength"].dtype)}


def results_loss(weights: NetWeights, samples: Mapping[int, Samples], encode: Encode) -> float:
    """Return the mean log loss of win shares, in nats, over all positions by number of seats; 0 for none."""
    losses = [
        log_loss(foresee(weights, part.positions.state, encode)[1], part.positions.returns)
        for part in samples.values()
        if len(part.positions.seat)
    ]
    return float(np.concatenate(losses).mean()) if losses else 0.0


def log_loss(shares: Array, returns: Array) -> Array:
    """Return the log loss of win shares, row by row."""
    losses: Array = -(returns * np.log(np.maximum(shares, 1e-9))).sum(axis=1)
    return losses


def of_positions(totals: Array, shares: Array, positions: PositionRows, rows: Array) -> Figures:
    """Return the figures of some positions."""
    seat, returns = positions.seat[rows], positions.returns[rows].astype(float)
    shares = shares[rows].astype(float)
    foreseen, margin = margins(totals[rows], seat), margins(positions.scores[rows], seat)
    spread = ((margin - margin.mean()) ** 2).sum()
    return {
        "positions": int(rows.sum()),
        "r2": float(1 - ((margin - foreseen) ** 2).sum() / max(spread, 1e-9)),
        "bias": float((foreseen - margin).mean()),
        "log_loss": float(log_loss(shares, returns).mean()),
        "brier": float(((shares - returns) ** 2).sum(axis=1).mean()),
        "ece": calibration_error(table := reliability(shares.ravel(), returns.ravel())),
        "reliability": table,
    }


def margins(scores: Array, seat: Array) -> Array:
    """Return each row's score of a seat minus the best other score."""
    rows = np.arange(len(scores))
    difference: Array = (scores[rows, seat] - scores[rows, best_other(scores, seat)]).astype(float)
    return difference


def reliability(shares: Array, returns: Array) -> list[dict[str, float]]:
    """Return for each non-empty bin of win shares: its size, the mean predicted share, the mean share won."""
    places = np.minimum((shares * BINS).astype(int), BINS - 1)
    return [
        {"count": int(inside.sum()), "said": float(shares[inside].mean()), "won": float(returns[inside].mean())}
        for inside in (places == number for number in range(BINS))
        if inside.any()
    ]


def calibration_error(table: list[dict[str, float]]) -> float:
    """Return the mean distance between predicted and actual shares, by bin (Naeini et al., AAAI 2015)."""
    total = sum(row["count"] for row in table)
    return sum(row["count"] * abs(row["said"] - row["won"]) for row in table) / max(total, 1)


def order(weights: NetWeights, lines: Lines, encode: Encode) -> dict[str, float]:
    """Return the correlation of the values of lines with the search's, within decisions, for both outputs."""
    margin, odds = [], []
    for first in range(0, len(lines.seat), PIECE):
        rows = slice(first, first + PIECE)
        own, table, points = encode(lines.state[rows])
        outputs = forward(weights, own, table)
        margin.append(margins(points + outputs.score * SCALE, lines.seat[rows]))
        odds.append(odds_of_seat(outputs.strength, lines.seat[rows])[0])
    if not margin:
        return {"margin": 0.0, "odds": 0.0}
    return {
        "margin": within(np.concatenate(margin), lines.margin, lines),
        "odds": within(np.concatenate(odds), lines.odds, lines),
    }


def within(found: Array, wanted: Array, lines: Lines) -> float:
    """Return the correlation of two columns, each minus its weighted mean in the decision."""
    _, place = np.unique(lines.decision, return_inverse=True)
    total = np.bincount(place, lines.weight)
    one, other = (
        column - (np.bincount(place, lines.weight * column) / total)[place]
        for column in (found.astype(float), wanted.astype(float))
    )
    product = (lines.weight * one * other).sum()
    return float(product / np.sqrt((lines.weight * one**2).sum() * (lines.weight * other**2).sum() + 1e-12))
