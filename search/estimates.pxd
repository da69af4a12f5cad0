# cython: language_level=3
"""Computes the means, standard errors and bounds of a line from the sums of a root action."""
from libc.stdint cimport uint32_t

from clerestory.engine.core cimport MAX_SEATS

cdef struct ActionSums:            # of a root action; arrays: one element for each seat
    uint32_t visits              # iterations that took it
    uint32_t availability        # iterations in which it was legal
    double wins[MAX_SEATS]       # win shares
    double win_squares[MAX_SEATS]  # their squares
    double margin                # margins of the deciding seat, points
    double margin_squares        # their squares

cdef struct Shares:                # by seat
    double mean[MAX_SEATS]       # win shares, as searched
    double error[MAX_SEATS]      # their standard errors
    double sharp[MAX_SEATS]      # win shares, as reported
    double sharp_error[MAX_SEATS]

cdef void average(const ActionSums *sums, int seats, Shares *shares) noexcept nogil
cdef void sharpen(Shares *shares, int seats, double exponent, double lead) noexcept nogil
cdef double standard_error(uint32_t visits, double total, double squares) noexcept nogil
cdef double score_of(
    const ActionSums *sums, double margin_share, double scale, double win_share, double *error
) noexcept nogil
