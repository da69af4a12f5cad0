# cython: language_level=3
"""The lines of a result: Python objects whose figures C reads and writes without converting them."""
from libc.stdint cimport uint64_t

from clerestory.engine.core cimport MAX_SEATS
from clerestory.search.estimates cimport ActionSums

cdef class Line:
    cdef readonly str action, label
    cdef readonly uint64_t visits, availability
    cdef readonly double margin, margin_error, score, score_error, lower_bound, loss
    cdef readonly tuple principal_variation, outlook
    cdef readonly object probability
    cdef int seats
    cdef double shares[MAX_SEATS]        # win_shares
    cdef double share_errors[MAX_SEATS]  # standard_errors
    cdef bint doubtful_beside(self, Line best) noexcept

cdef class LineBuilder:
    cdef double margin_share, scale, deviations, exponent, lead
    cdef int seat, seats
    cdef Line line(self, str action, str label, const ActionSums *sums, tuple variation)
