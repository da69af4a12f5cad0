# cython: language_level=3
"""One iteration of a search."""
from libc.stdint cimport uint32_t, uint64_t

from clerestory.search.loop.search cimport Search
from clerestory.search.memory.tree cimport Edge

cdef void iterate(Search *search) noexcept nogil
cdef bint may_be_settled(const Search *search, uint64_t visits, double won) noexcept nogil
cdef bint is_settled(const Search *search, const Edge *row, const uint32_t *legal, int n) noexcept nogil
