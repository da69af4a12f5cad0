# cython: language_level=3
"""The lines of a result, and their order. Arithmetic follows Python's order, so that every bit is reproducible."""
from functools import partial
from math import sqrt
from operator import attrgetter

from libc.math cimport INFINITY
from libc.stdint cimport uint32_t

from clerestory.search.estimates cimport Shares, average, score_of, sharpen, standard_error

from clerestory.search.options import POINT, SETTLED_VISITS, WELL_VISITED

DOUBTFUL = 200  # visits; a line with fewer, or too few relative to the first line, may have unreliable figures
PROPORTION = 0.02  # of the visits of the first line

FIELDS = (
    *("action", "label", "visits", "availability", "win_shares", "standard_errors", "margin", "margin_error"),
    *("score", "score_error", "lower_bound", "loss", "principal_variation", "probability", "outlook"),
)

cdef uint64_t LEAST_VISITS = DOUBTFUL
cdef double LEAST_PROPORTION = PROPORTION


cdef class Line:
    """One legal action of the root, with the search's estimates. It does not change once it is part of a result.

    Args and attributes:
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

    Raises ValueError unless there is a standard error for each win share.
    """

    def __init__(
        self, str action not None, str label not None, visits, availability, win_shares, standard_errors, margin,
        margin_error, score, score_error, lower_bound, loss, tuple principal_variation not None, probability=None,
        tuple outlook not None=(),
    ):
        cdef int i
        self.seats = len(win_shares)
        if not len(standard_errors) == self.seats <= MAX_SEATS:
            raise ValueError(f"{self.seats} win shares with {len(standard_errors)} errors, for {MAX_SEATS} at most")
        for i in range(self.seats):
            self.shares[i], self.share_errors[i] = win_shares[i], standard_errors[i]
        self.action, self.label, self.visits, self.availability = action, label, visits, availability
        self.margin, self.margin_error, self.score, self.score_error = margin, margin_error, score, score_error
        self.lower_bound, self.loss, self.principal_variation = lower_bound, loss, principal_variation
        self.probability, self.outlook = probability, outlook

    @property
    def win_shares(self):
        return as_tuple(self.shares, self.seats)

    @property
    def standard_errors(self):
        return as_tuple(self.share_errors, self.seats)

    def changed(self, **figures):
        """Return a copy with other values of some attributes."""
        return Line(**{name: figures.pop(name, getattr(self, name)) for name in FIELDS}, **figures)

    def _values(self):
        return tuple([getattr(self, name) for name in FIELDS])

    def __eq__(self, other):
        return self._values() == other._values() if isinstance(other, Line) else NotImplemented

    def __hash__(self):
        return hash(self._values())

    def __repr__(self):
        return f"Line({', '.join([f'{name}={getattr(self, name)!r}' for name in FIELDS])})"

    def __reduce__(self):
        return Line, self._values()

    cdef bint doubtful_beside(self, Line best) noexcept:
        """Whether an action was tried too rarely, in absolute terms or against the line to play."""
        return self.visits < LEAST_VISITS and self.visits < LEAST_PROPORTION * best.visits


cdef tuple as_tuple(const double *numbers, int n):
    cdef int i
    return tuple([numbers[i] for i in range(n)])


cdef class LineBuilder:
    """Makes lines from the sums of root actions.

    Args:
        options: options of the search.
        seat: the seat to decide.
        seats: number of players.
        exponent: exponent of the win shares.
        lead: added to the log odds of the first seat.
    """

    def __init__(self, options, seat, seats, double exponent, double lead):
        self.margin_share, self.scale, self.deviations = options.margin_share, options.scale, options.deviations
        self.seat, self.seats, self.exponent, self.lead = seat, seats, exponent, lead

    cdef Line line(self, str action, str label, const ActionSums *sums, tuple variation):
        """Return the line of an action; its loss stays 0 until the lines are ranked."""
        cdef Shares shares
        cdef Line line = Line.__new__(Line)
        cdef uint32_t visits = max(sums.visits, 1)
        cdef int i
        average(sums, self.seats, &shares)
        sharpen(&shares, self.seats, self.exponent, self.lead)
        line.action, line.label, line.principal_variation, line.outlook = action, label, variation, ()
        line.visits, line.availability, line.seats = sums.visits, sums.availability, self.seats
        for i in range(self.seats):
            line.shares[i], line.share_errors[i] = shares.sharp[i], shares.sharp_error[i]
        line.margin = sums.margin / visits
        line.margin_error = INFINITY
        if sums.visits > 1:
            line.margin_error = standard_error(sums.visits, sums.margin, sums.margin_squares)
        line.score_error = shares.error[self.seat]
        line.score = score_of(sums, self.margin_share, self.scale, shares.mean[self.seat], &line.score_error)
        line.lower_bound = line.score - self.deviations * line.score_error
        return line


def ranked(lines, choice, *, settled=False, double deviations=2.0):
    """Sort new lines into display order, and set their losses.

    The line to play comes first: by the final choice rule or, once the win is settled, by the lower bound of the reward
    used there. The others follow by their lower bounds, highest first, so that no line ranks above another only because
    its error is large. The doubtful ones come last, by visits. Ties keep their given order.
    """
    cdef Line line, best
    by_visits = sorted(lines, key=attrgetter("visits"), reverse=True)
    best = by_visits[0]
    bound = partial(settled_bound, deviations=deviations) if settled else attrgetter("lower_bound")
    if settled or choice == "bound":
        enough = (SETTLED_VISITS if settled else WELL_VISITED) * best.visits
        best = max([line for line in by_visits if line.visits >= enough], key=bound)
    others = [line for line in by_visits if line is not best]
    doubtful = [line for line in others if line.doubtful_beside(best)]
    sure = [line for line in others if not line.doubtful_beside(best)]
    order = (best, *sorted(sure, key=bound, reverse=True), *doubtful)
    for line in order:
        if line.visits:
            line.loss = best.margin - line.margin
    return order


def is_doubtful(Line line not None, Line best not None):
    """Whether an action was tried too rarely, in absolute terms or against the line to play, to compare its figures."""
    return line.doubtful_beside(best)


def settled_bound(Line line not None, deviations):
    """Return the lower bound of a line's win share and points combined."""
    error = line.score_error + POINT * line.margin_error
    return line.score + POINT * line.margin - deviations * error


def likeliest(lines, odds):
    """Return the outcomes of a chance event with their probabilities, most likely first."""
    cdef Line line
    for line in lines:
        line.probability = odds[line.action]
    return tuple(sorted(lines, key=attrgetter("probability"), reverse=True))


def combined(one, other):
    """Return the standard error of the difference of two independent means, given theirs."""
    return sqrt(one * one + other * other)
