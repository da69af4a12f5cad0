# cython: language_level=3
"""The priors of the edges of a new row, and which actions get an edge first."""
from libc.stdint cimport uint32_t

from clerestory.engine.core cimport MAX_LEGAL, action_t
from clerestory.search.loop.search cimport Search

cdef struct Listing:             # legal actions that get an edge, in ascending order
    int n
    action_t actions[MAX_LEGAL]
    float priors[MAX_LEGAL]

cdef void list_legal(const Search *search, int n, Listing *listing) noexcept nogil
cdef void keep_likeliest(const action_t *tried, int num_tried, int most, Listing *listing) noexcept nogil
cdef void set_priors(Search *search, uint32_t first, const Listing *listing) noexcept nogil
cdef int first_by_priors(Search *search, int n, float *prior) noexcept nogil
