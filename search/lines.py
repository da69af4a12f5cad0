"""The lines of a result, and the statistics of root actions from which they are computed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt

from clerestory.engine.elementary import power
from clerestory.figures import Outlook as Outlook
from clerestory.search.options import WELL_VISITED, Options

WIDEST_ERROR = 0.5  # largest standard error of a number between 0 and 1


@dataclass(frozen=True, slots=True)
class Line:
    """One legal action of the root, with the search's estimates.

    Attributes:
        action: its text.
        label: the same in plain English.
        visits: iterations that tried it.
        availability: iterations in which it was legal.
        win_shares: win share of each seat, 0 to 1: the mean over the iterations, calibrated by the option `sharpness`
            for players as strong as the search; 0 if it was never tried.
        standard_errors: of each win share, as if iterations were independent; at most 0.5, the value before the second
            visit.
        margin: mean margin of the deciding seat, points: its score minus the best other; 0 if it was never tried.
        margin_error: standard error of the margin, points; infinite before the second visit.
        score: mean reward of the deciding seat, which the search maximizes: its mean win share, or its margin on the
            game's scale, where 0.5 is a margin of 0 and most are between 0 and 1; 0 if it was never tried.
        score_error: standard error of the score.
        lower_bound: lower confidence bound of the score; below 0 when little is known.
        loss: margin of the best line minus that of this one, points; negative if this line has the higher margin; 0 if
            it was never tried.
        principal_variation: this action first, then the most visited replies and any chance event with a single
            possible outcome, for as long as no hidden information is needed to continue.
        probability: of an outcome, given what everyone can see; None for an action.
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


@dataclass(frozen=True, slots=True)
class ActionStatistics:
    """The sums for one root action.

    Attributes:
        visits: iterations that took it.
        availability: iterations in which it was legal.
        wins: win shares, by seat.
        win_squares: their squares, by seat.
        margin: margins of the deciding seat, points.
        margin_squares: their squares.
    """

    visits: int
    availability: int
    wins: tuple[float, ...]
    win_squares: tuple[float, ...]
    margin: float
    margin_squares: float


@dataclass(frozen=True, slots=True)
class LineBuilder:
    """Makes lines from statistics and ranks them.

    Attributes:
        options: of the search.
        seat: the seat to decide.
        exponent: of the win shares.
    """

    options: Options
    seat: int
    exponent: float

    def line(self, action: str, label: str, sums: ActionStatistics, principal_variation: tuple[str, ...]) -> Line:
        """Return the line of an action; its loss stays 0 until the lines are ranked."""
        visits = max(sums.visits, 1)
        means = [win / visits for win in sums.wins]
        errors = [error(visits, *pair) for pair in zip(sums.wins, sums.win_squares, strict=True)]
        score, score_error = self._score(sums, means[self.seat], errors[self.seat])
        win_shares = sharpened(means, self.exponent)
        return Line(
            action=action,
            label=label,
            visits=sums.visits,
            availability=sums.availability,
            win_shares=win_shares,
            standard_errors=sharpened_errors(errors, means, win_shares, self.exponent),
            margin=sums.margin / visits,
            margin_error=error(visits, sums.margin, sums.margin_squares) if visits > 1 else inf,
            score=score,
            score_error=score_error,
            lower_bound=score - self.options.deviations * score_error,
            loss=0.0,
            principal_variation=principal_variation,
        )

    def _score(self, sums: ActionStatistics, win_share: float, standard_error: float) -> tuple[float, float]:
        """Return the mean reward of the deciding seat, 0 if the action was never tried, and its standard error."""
        share, scale = self.options.margin_share, self.options.scale
        if not share:
            return (win_share if sums.visits else 0.0), standard_error
        visits = max(sums.visits, 1)
        score = (1 - share) * win_share + share * (sums.margin / visits + scale / 2) / scale
        scaled = error(visits, sums.margin / scale, sums.margin_squares / (scale * scale))
        score_error = (1 - share) * standard_error + share * min(scaled, WIDEST_ERROR)
        return (score if sums.visits else 0.0), score_error

    def rank(self, lines: Iterable[Line]) -> tuple[Line, ...]:
        """Return the lines, which are new, with their losses: best first by the final-choice rule, then as given."""
        ranked = sorted(lines, key=lambda line: -line.visits)
        if self.options.choice == "bound":
            enough = WELL_VISITED * ranked[0].visits
            ranked.sort(key=lambda line: -line.lower_bound if line.visits >= enough else float("inf"))
        best = ranked[0]
        for line in ranked:
            if line.visits:
                object.__setattr__(line, "loss", best.margin - line.margin)
        return tuple(ranked)

    def list_outcomes(self, lines: Iterable[Line], odds: Mapping[str, float]) -> tuple[Line, ...]:
        """Return the outcomes of a chance event with their probabilities, most likely first."""
        outcomes = (replace(line, probability=odds[line.action]) for line in lines)
        return tuple(sorted(outcomes, key=lambda line: -odds[line.action]))


def sharpened(shares: Sequence[float], exponent: float) -> tuple[float, ...]:
    """Return win shares raised to an exponent, scaled to add up to 1; zeros stay, and 1 changes nothing."""
    if exponent == 1:
        return tuple(shares)
    raised = [power(share, exponent) for share in shares]
    total = sum(raised) or 1.0
    return tuple([share / total for share in raised])


def sharpened_errors(
    errors: Sequence[float], means: Sequence[float], shares: Sequence[float], exponent: float
) -> tuple[float, ...]:
    """Return the standard errors of sharpened shares, at most 0.5, treating each share against the sum of the others.

    Sharpening multiplies the log odds of a share by the exponent, and so also the standard error of the log odds.
    """
    if exponent == 1:
        return tuple(errors)
    spreads = [(share * (1 - share), mean * (1 - mean)) for share, mean in zip(shares, means, strict=True)]
    slopes = [exponent * after / before if before else 1.0 for after, before in spreads]
    return tuple([min(error * slope, WIDEST_ERROR) for error, slope in zip(errors, slopes, strict=True)])


def error(visits: int, total: float, squares: float) -> float:
    """Return the standard error of a mean of independent samples; for fewer than two, the widest possible."""
    if visits < 2:
        return WIDEST_ERROR
    mean = total / visits
    variance = max(squares / visits - mean * mean, 0.0) * visits / (visits - 1)
    return sqrt(variance / visits)


def combined(one: float, other: float) -> float:
    """Return the standard error of the difference of two independent means, given theirs."""
    return sqrt(one * one + other * other)
