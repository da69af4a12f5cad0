"""Judges decisions: classes of errors, the noise floor below which errors are not classified, figures by seat."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import exp, sqrt
from statistics import fmean

from clerestory.engine.core import NATURE
from clerestory.search.reasons import LEAST_ERROR
from clerestory.search.review.groups import DecisionGroup, ErrorPattern, grouped, patterns
from clerestory.search.review.ledger import UNIT, PlyValuation, Shares, revaluations
from clerestory.sums import total

# By share lost, in millionths, most serious first; similar to GNU Backgammon (0.02, 0.04, 0.08) and lichess (0.05,
# 0.10, 0.15).
CLASSES = (("blunder", "??", 100_000), ("mistake", "?", 50_000), ("doubtful", "?!", round(LEAST_ERROR * UNIT)))
GLYPHS = {name: glyph for name, glyph, _ in CLASSES}
FLOORS = 2  # an error is classified if it exceeds this multiple of the noise floor
FEW = 20  # steps needed to estimate a floor
LOSS_OF_ACCURACY = 0.034  # share of a win: mean loss at which the accuracy falls to 1 / e
NEAR = 40  # steps around a ply that determine its floor: the last round is noisier than the first


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatFigures:
    """The figures of one seat's decisions.

    Attributes:
        seat: the seat.
        counted: number of decisions with something at stake.
        idle: number of decisions whose actions are all within the noise floor of each other.
        mean_loss: mean loss of those counted, in millionths of a win; None if there are none.
        accuracy: accuracy derived from the mean loss, 0 to 100; None if there are none.
        points: points of margin lost by errors.
        classes: number of decisions in each class.
        level: level of play with about the same mean loss; None without enough data.
        groups: the decisions counted, by part of the game and kind.
        patterns: the classified errors, by what was played and what was best.
    """

    seat: int
    counted: int
    idle: int
    mean_loss: float | None
    accuracy: float | None
    points: float
    classes: dict[str, int]
    level: int | None = None
    groups: tuple[DecisionGroup, ...] = ()
    patterns: tuple[ErrorPattern, ...] = ()


def noise_floors(valuations: Sequence[PlyValuation], final: Shares, general: Sequence[int]) -> list[int]:
    """Return the noise floor around each valuation, in millionths.

    The floor is the spread of the steps at which nothing should have changed: from a decision in which the best action
    was played to the next valuation, the change in the share of the seat that decided. The spread is the root mean
    square over the nearest steps; the step to the result is omitted.

    Args:
        valuations: valuations in order.
        final: the result, or the shares of the last position.
        general: the floor measured on other games, at each valuation; used if the review has too few steps.
    """
    steps = quiet_steps(valuations, final)
    if len(steps) < FEW:
        return list(general)
    places = [place for place, _ in steps]
    squares = [0, *accumulate(step * step for _, step in steps)]
    near = min(NEAR, len(steps))
    floors = []
    for place in range(len(valuations)):
        first = min(max(bisect_left(places, place) - near // 2, 0), len(steps) - near)
        floors.append(round(sqrt((squares[first + near] - squares[first]) / near)))
    return floors


def quiet_steps(valuations: Sequence[PlyValuation], final: Shares) -> list[tuple[int, int]]:
    """Return the steps at which nothing should have changed, each with the index of its valuation."""
    return [
        (place, change[one.seat])
        for place, (one, change) in enumerate(zip(valuations[:-1], revaluations(valuations, final)[:-1], strict=True))
        if one.seat != NATURE and one.loss == 0
    ]


def class_of(valuation: PlyValuation, floor: int) -> str:
    """Return the class of a decision; "" if it lost at most FLOORS times the floor, or less than the smallest class."""
    if valuation.loss <= FLOORS * floor:
        return ""
    return next((name for name, _, least in CLASSES if valuation.loss >= least), "")


def accuracy(mean_loss: float) -> float:
    """Return the accuracy of decisions, 0 to 100, for their mean loss in millionths: about 50 for level 1.

    Like the level, it depends on the mean loss alone, so the two never disagree about who played better.
    """
    return 100 * exp(-mean_loss / UNIT / LOSS_OF_ACCURACY)


def figures(game: str, valuations: Sequence[PlyValuation], seat: int, floors: Sequence[int]) -> SeatFigures:
    """Return the figures of a seat's decisions in a game, given the noise floor at each valuation."""
    judged = [(one, floor) for one, floor in zip(valuations, floors, strict=True) if one.seat == seat]
    own = [one for one, _ in judged]
    counted = [one for one, floor in judged if max(one.stake, one.loss) > floor]
    classes = [class_of(one, floor) for one, floor in judged]
    errors = [one for one, found in zip(own, classes, strict=True) if found]
    mean_loss = fmean(one.loss for one in counted) if counted else None
    return SeatFigures(
        seat=seat,
        counted=len(counted),
        idle=len(own) - len(counted),
        mean_loss=mean_loss,
        accuracy=None if mean_loss is None else accuracy(mean_loss),
        points=round(total(one.points for one in own), 3),
        classes={name: classes.count(name) for name, _, _ in CLASSES},
        groups=grouped(game, counted),
        patterns=patterns(errors),
    )


def steps(valuations: Sequence[PlyValuation]) -> list[int]:
    """Return the size of each revaluation between two valuations, in millionths: the largest of any seat."""
    return [
        max(abs(then - now) for now, then in zip(one.after, other.before, strict=True))
        for one, other in pairwise(valuations)
    ]
