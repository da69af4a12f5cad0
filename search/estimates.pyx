# cython: language_level=3
"""Estimates from sums. Arithmetic follows Python's order, so that every bit is reproducible."""
from libc.math cimport sqrt
from libc.stdint cimport uint32_t

from clerestory.engine.core cimport MAX_SEATS
from clerestory.engine.elementary cimport elementary_exp, elementary_power

from clerestory.search.options import WIDEST_ERROR

cdef double WIDEST = WIDEST_ERROR


cdef double score_of(
    const ActionSums *sums, double margin_share, double scale, double win_share, double *error
) noexcept nogil:
    """Return the mean reward of the deciding seat, 0 if the action was never tried.

    `error` is the standard error of its win share, and becomes that of the score.
    """
    cdef double share = margin_share, mean = win_share, scaled
    if share:
        scaled = standard_error(sums.visits, sums.margin / scale, sums.margin_squares / (scale * scale))
        mean = (1 - share) * win_share + share * (sums.margin / max(sums.visits, 1) + scale / 2) / scale
        error[0] = (1 - share) * error[0] + share * min(scaled, WIDEST)
    return mean if sums.visits else 0.0


cdef void average(const ActionSums *sums, int seats, Shares *shares) noexcept nogil:
    """Write the means and their standard errors."""
    cdef int i
    for i in range(seats):
        shares.mean[i] = sums.wins[i] / max(sums.visits, 1)
        shares.error[i] = standard_error(sums.visits, sums.wins[i], sums.win_squares[i])


cdef double standard_error(uint32_t visits, double total, double squares) noexcept nogil:
    """Return the standard error of a mean of independent samples; the widest possible for fewer than two."""
    cdef double mean, variance
    if visits < 2:
        return WIDEST
    mean = total / visits
    variance = squares / visits - mean * mean
    if variance < 0.0:
        variance = 0.0
    return sqrt(variance * visits / (visits - 1) / visits)


cdef void sharpen(Shares *shares, int seats, double exponent, double lead) noexcept nogil:
    """Raise win shares to an exponent, add the first seat's lead, scale them to sum to 1, and adjust their errors.

    Each share is treated against the sum of the others: the exponent multiplies its log odds, and so also their
    standard error. Zeros stay; errors are at most 0.5; an exponent of 1 without a lead changes nothing.
    """
    cdef double total = 0.0, spread
    cdef int i
    cdef bint changed = exponent != 1 or lead != 0
    for i in range(seats):
        shares.sharp[i] = shares.mean[i] if exponent == 1 else elementary_power(shares.mean[i], exponent)
        shares.sharp_error[i] = shares.error[i]
        if i == 0 and lead != 0:
            shares.sharp[i] *= elementary_exp(lead)
        total += shares.sharp[i]
    for i in range(seats if changed else 0):
        shares.sharp[i] /= total if total else 1.0
        spread = shares.mean[i] * (1 - shares.mean[i])
        if spread:
            shares.sharp_error[i] *= exponent * (shares.sharp[i] * (1 - shares.sharp[i])) / spread
        shares.sharp_error[i] = min(shares.sharp_error[i], WIDEST)


cdef tuple as_tuple(const double *numbers, int n):
    cdef int i
    return tuple([numbers[i] for i in range(n)])


def sharpened(means, errors, double exponent, double lead=0.0):
    """Return win shares and standard errors by seat, as a line reports them with this exponent and lead."""
    cdef Shares shares
    cdef int i, seats = len(means)
    if not len(errors) == seats <= MAX_SEATS:
        raise ValueError(f"means, errors: {seats} and {len(errors)}; must be as many, and at most {MAX_SEATS}")
    for i in range(seats):
        shares.mean[i], shares.error[i] = means[i], errors[i]
    sharpen(&shares, seats, exponent, lead)
    return as_tuple(shares.sharp, seats), as_tuple(shares.sharp_error, seats)
