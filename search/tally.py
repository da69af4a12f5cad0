"""From sums to statements: what a search counted for each root action, and the lines made of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt

from clerestory.search.options import REWARDS, WELL_VISITED, Options
from clerestory.search.result import Line

WIDEST_ERROR = 0.5  # of one number between 0 and 1


@dataclass(frozen=True, slots=True)
class Tally:
    """The sums of one root action, over one tree or over several.

    Attributes:
        visits: iterations that took it.
        available: iterations in which it was legal.
        wins: win shares, by seat.
        win_squares: their squares, by seat.
        margin: margins of the deciding seat, points.
        margin_squares: their squares.
    """

    visits: int
    available: int
    wins: tuple[float, ...]
    win_squares: tuple[float, ...]
    margin: float
    margin_squares: float

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.visits + other.visits,
            self.available + other.available,
            added(self.wins, other.wins),
            added(self.win_squares, other.win_squares),
            self.margin + other.margin,
            self.margin_squares + other.margin_squares,
        )


NOTHING = Tally(0, 0, (), (), 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Judge:
    """Turns tallies into lines, best first.

    Attributes:
        options: of the search.
        seat: that decides.
        lowest: margin of any seat that the search met, points.
        highest: the same.
    """

    options: Options
    seat: int
    lowest: float
    highest: float

    def line(self, action: str, label: str, tally: Tally, variation: tuple[str, ...]) -> Line:
        """Return the line of an action; what it loses is not known yet and said to be 0."""
        visits = max(tally.visits, 1)
        values = tuple(win / visits for win in tally.wins)
        errors = tuple(error(visits, *sums) for sums in zip(tally.wins, tally.win_squares, strict=True))
        margin, share = tally.margin / visits, REWARDS[self.options.reward]
        spread = self.highest - self.lowest or 1.0
        score = (1 - share) * values[self.seat] + share * (margin - self.lowest) / spread
        doubt = (1 - share) * errors[self.seat] + share * min(
            error(visits, tally.margin / spread, tally.margin_squares / spread**2), WIDEST_ERROR
        )
        return Line(
            action=action,
            label=label,
            visits=tally.visits,
            availability=tally.available,
            values=values,
            errors=errors,
            margin=margin,
            margin_error=error(visits, tally.margin, tally.margin_squares) if visits > 1 else inf,
            score=score if tally.visits else 0.0,
            lower=(score if tally.visits else 0.0) - self.options.deviations * doubt,
            loss=0.0,
            doubt=doubt,
            variation=variation,
        )

    def rank(self, lines: Iterable[Line]) -> tuple[Line, ...]:
        """Return the lines by the final choice, best first; of equals the first given. Each knows what it loses."""
        ranked = sorted(lines, key=lambda line: -line.visits)
        if self.options.choice == "bound":
            enough = WELL_VISITED * ranked[0].visits
            ranked.sort(key=lambda line: -line.lower if line.visits >= enough else float("inf"))
        best = ranked[0]
        return tuple(replace(line, loss=best.margin - line.margin) if line.visits else line for line in ranked)

    def list_outcomes(self, lines: Iterable[Line], odds: Mapping[str, float]) -> tuple[Line, ...]:
        """Return the outcomes of a chance event, likeliest first, each with its probability."""
        told = (replace(line, probability=odds[line.action]) for line in lines)
        return tuple(sorted(told, key=lambda line: -odds[line.action]))


def added(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, ...]:
    """Return the sums, place by place; no places at all add nothing."""
    return tuple(a + b for a, b in zip(ours, theirs, strict=True)) if ours and theirs else tuple(ours or theirs)


def error(visits: int, total: float, squares: float) -> float:
    """Return the standard error of a mean, as of independent samples; of fewer than two, the widest there is."""
    if visits < 2:
        return WIDEST_ERROR
    variance = max(squares / visits - (total / visits) ** 2, 0.0) * visits / (visits - 1)
    return sqrt(variance / visits)
