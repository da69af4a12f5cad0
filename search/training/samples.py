"""Training samples: positions with their results, and the lines of a decision compared with each other.

A position has two targets of each kind: the result of the game, which is unbiased but noisy, and the search's estimate,
which has little noise but is biased. The estimates are calibrated against the results for each number of players and
round: leads are scaled linearly, and win shares raised to an exponent.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from clerestory.search.training.columns import Array, Columns, count

HELD_OUT = 6  # one in this many games is held out; half of these calibrate, the rest evaluate
MOST_VISITS = 200  # of a line: more visits add no weight
TEMPERS = np.geomspace(0.05, 8, 120)  # candidate exponents of win shares
LEAST_SHARE = 0.01  # lower limit for a search's win shares, as the search may have overlooked something
LOGISTIC = 1.6  # slope of the log odds over one standard deviation of a normally distributed result


@dataclass(frozen=True, slots=True)
class Arrays:
    """Arrays by name."""

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return the arrays of the parts concatenated; there must be at least one part."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


@dataclass(frozen=True, slots=True)
class Rows(Arrays):
    """Columns of equal length."""

    def take(self, rows: Array) -> Self:
        """Return some of the rows."""
        return type(self)(*(getattr(self, field.name)[rows] for field in fields(self)))


@dataclass(frozen=True, slots=True)
class PositionRows(Rows):
    """Positions of one number of seats, a row each.

    Attributes:
        state: memory (N, state_bytes), uint8.
        seat: the seat to decide.
        round: number of the round.
        scores, returns: final scores and win shares of the game, by seat.
        lead: lead expected by the search: the seat's score minus the mean of the others, points.
        shares: win shares expected by the search, by seat.
    """

    state: Array
    seat: Array
    round: Array
    scores: Array
    returns: Array
    lead: Array
    shares: Array


@dataclass(frozen=True, slots=True)
class Lines(Rows):
    """Positions after lines, a row each; rows of one decision are adjacent.

    Attributes:
        state, seat: the position, and the seat that decided.
        decision: number of the decision, ascending.
        weight: weight of the line, at most 1.
        margin: margin expected by the search, points.
        odds: log odds of winning expected by the search.
    """

    state: Array
    seat: Array
    decision: Array
    weight: Array
    margin: Array
    odds: Array


@dataclass(frozen=True, slots=True)
class Samples:
    """Samples from games with one number of seats, either for training or held out."""

    positions: PositionRows
    lines: Lines


@dataclass(frozen=True, slots=True)
class Adjustment:
    """The calibration of a search's expectations in one round against the results.

    Attributes:
        slope, offset: linear scaling of the lead, in points.
        temper: exponent of win shares.
        spread: standard deviation of the final lead given the search's expectation, points.
    """

    slope: float
    offset: float
    temper: float
    spread: float


def split(columns: Columns, *, learned: bool, share: float = 1.0) -> tuple[Samples, Samples, Samples]:
    """Return samples for training, for calibration and for evaluation, from games with one number of seats.

    Args:
        columns: data of the games.
        learned: whether the search used a learned value, whose win shares are calibrated.
        share: share of the training games to use, from the first on; above 0, at most 1.
    """
    game = columns["position.game"]
    kept = game % HELD_OUT != HELD_OUT - 1
    judged = game % (2 * HELD_OUT) == 2 * HELD_OUT - 1
    adjustments = {number: adjust(columns, kept & (columns["position.round"] == number)) for number in rounds(columns)}
    positions = positions_of(columns, adjustments)
    lines, of_position = lines_of(columns, adjustments, learned=learned)

    def part(rows: Array) -> Samples:
        return Samples(positions.take(np.flatnonzero(rows)), lines.take(np.flatnonzero(rows[of_position])))

    used = kept & (game < share * count(columns, "game"))
    return part(used), part(~kept & ~judged), part(judged)


def rounds(columns: Columns) -> list[int]:
    """Return the numbers of the rounds."""
    return [int(number) for number in np.unique(columns["position.round"])]


# -- calibration of the search's estimates ---------------------------------------------------------


def adjust(columns: Columns, rows: Array) -> Adjustment:
    """Return the calibration of the search's expectations at some positions against the results."""
    if not rows.any():
        return Adjustment(1.0, 0.0, 1.0, 10.0)
    game, seat = columns["position.game"][rows], columns["position.seat"][rows]
    margin = columns["position.margin"][rows].astype(float)
    lead = lead_of(columns["game.scores"][game].astype(float), seat)
    slope = float(np.cov(margin, lead)[0, 1] / max(margin.var(ddof=1), 1e-9)) if len(margin) > 2 else 1.0
    offset = float(lead.mean() - slope * margin.mean())
    spread = float(np.sqrt(((lead - offset - slope * margin) ** 2).mean()))
    temper = best_temper([logs_of(columns["position.shares"][rows])], [columns["game.returns"][game]])
    return Adjustment(slope, offset, temper, max(spread, 1.0))


def lead_of(scores: Array, seat: Array) -> Array:
    """Return the lead of a seat over the mean of the others, row by row."""
    own = scores[np.arange(len(scores)), seat]
    lead: Array = own - (scores.sum(axis=1) - own) / (scores.shape[1] - 1)
    return lead


def best_temper(logs: Sequence[Array], returns: Sequence[Array]) -> float:
    """Return the exponent of win shares, given as logarithms in parts, that predicts the results best."""

    def loss(temper: float) -> float:
        return sum(entropy(temper * part, won) for part, won in zip(logs, returns, strict=True))

    return float(min(TEMPERS, key=loss))


def entropy(raised: Array, returns: Array) -> float:
    """Return the mean log loss of win shares given as unnormalized logarithms."""
    top = raised.max(axis=1, keepdims=True)
    total = top[:, 0] + np.log(np.exp(raised - top).sum(axis=1))
    return float((total - (returns * raised).sum(axis=1)).mean())


def logs_of(shares: Array) -> Array:
    """Return the logarithms of a search's win shares, at least that of LEAST_SHARE."""
    logs: Array = np.log(np.maximum(shares.astype(float), LEAST_SHARE))
    return logs


def tempered(shares: Array, temper: Array) -> Array:
    """Return win shares raised to exponents, one per row, and normalized."""
    raised = np.exp(logs_of(shares) * temper[:, None])
    normalized: Array = (raised / raised.sum(axis=1, keepdims=True)).astype(np.float32)
    return normalized


# -- samples ---------------------------------------------------------------------------------------


def positions_of(columns: Columns, adjustments: dict[int, Adjustment]) -> PositionRows:
    """Return every position with its targets."""
    game = columns["position.game"]
    slope, offset, temper = (by_round(columns, adjustments, name) for name in ("slope", "offset", "temper"))
    return PositionRows(
        state=columns["position.state"],
        seat=columns["position.seat"].astype(np.int64),
        round=columns["position.round"],
        scores=columns["game.scores"][game],
        returns=columns["game.returns"][game],
        lead=(offset + slope * columns["position.margin"]).astype(np.float32),
        shares=tempered(columns["position.shares"], temper),
    )


def by_round(columns: Columns, adjustments: dict[int, Adjustment], name: str) -> Array:
    """Return one field of the adjustments for every position, by its round."""
    numbers = rounds(columns)
    figures = np.array([getattr(adjustments[number], name) for number in numbers])
    by_position: Array = figures[np.searchsorted(numbers, columns["position.round"])]
    return by_position


def lines_of(columns: Columns, adjustments: dict[int, Adjustment], *, learned: bool) -> tuple[Lines, Array]:
    """Return the lines of every decision with two or more stored positions after lines, and the decisions' rows."""
    of_line = columns["after.line"]
    of_position = columns["line.position"][of_line]
    siblings = np.bincount(of_position, minlength=count(columns, "position"))
    rows = np.flatnonzero(siblings[of_position] > 1)
    line, position = of_line[rows], of_position[rows]
    seat, margin = columns["position.seat"][position].astype(np.int64), columns["line.margin"][line]
    temper = by_round(columns, adjustments, "spread")[position] / LOGISTIC
    lines = Lines(
        state=columns["after.state"][rows],
        seat=seat,
        decision=position,
        weight=np.minimum(columns["line.visits"][line] / MOST_VISITS, 1).astype(np.float32),
        margin=margin,
        odds=odds_of(columns["line.shares"][line], seat) if learned else (margin / temper).astype(np.float32),
    )
    return lines, position


def odds_of(shares: Array, seat: Array) -> Array:
    """Return the log odds that a seat wins, row by row.

    Certain wins and losses are limited to LEAST_SHARE from 1 and 0. Otherwise the few decisions with proven lines would
    outweigh all others.
    """
    share = np.clip(shares[np.arange(len(shares)), seat].astype(float), LEAST_SHARE, 1 - LEAST_SHARE)
    odds: Array = np.log(share / (1 - share)).astype(np.float32)
    return odds


def together(parts: Sequence[Samples]) -> Samples:
    """Return samples concatenated, with decisions renumbered."""
    starts = np.cumsum([0, *(int(part.lines.decision.max(initial=-1)) + 1 for part in parts[:-1])])
    moved = [
        Lines(**{**each(part.lines), "decision": part.lines.decision + start})
        for part, start in zip(parts, starts, strict=True)
    ]
    return Samples(PositionRows.joined([part.positions for part in parts]), Lines.joined(moved))


def each(lines: Lines) -> dict[str, Array]:
    """Return the columns of lines by name."""
    return {field.name: getattr(lines, field.name) for field in fields(lines)}
