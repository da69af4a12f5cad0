# cython: language_level=3
"""The expected features after lines: play by the tree, then informed playouts, to the end of the game."""
from libc.stdint cimport int64_t, uint64_t

from clerestory.engine.core cimport MAX_FEATURES, action_t
from clerestory.search.loop.search cimport Search

cdef struct OutlookSums:          # of one line, over all worlds; first at the end of the round, then of the game
    double total[2 * MAX_FEATURES]         # sums of the observer's features
    double gain[2 * MAX_FEATURES]          # sums of the differences from the first line, world by world
    double gain_squares[2 * MAX_FEATURES]  # sums of their squares

cdef int look_ahead(
    Search *search, const action_t *firsts, int lines, int worlds, int64_t plies, uint64_t seed, OutlookSums *out
) noexcept nogil
