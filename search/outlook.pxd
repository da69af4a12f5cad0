# cython: language_level=3
"""What a line is expected to bring, feature by feature: the tree's own play, then informed play, to the end."""
from libc.stdint cimport int64_t, uint64_t

from clerestory.engine.core cimport action_t
from clerestory.search.iteration cimport Search

cdef enum:
    MAX_FEATURES = 64

cdef void look_ahead(
    Search *search, action_t first, int worlds, int64_t plies, uint64_t seed, double *out
) noexcept nogil
