# cython: language_level=3
"""The priors of a new row of edges."""
from libc.stdint cimport uint32_t

from clerestory.search.loop.search cimport Search

cdef void set_priors(Search *search, uint32_t first, int n) noexcept nogil
cdef int first_by_priors(Search *search, int n, float *prior) noexcept nogil
