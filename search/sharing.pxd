# cython: language_level=3
"""A tree that several threads search at once: nodes are entered once, and no visit is lost."""
from libc.stdint cimport uint32_t, uint64_t

from clerestory.search.search cimport PathStep, Search

cdef uint32_t enter_shared(Search *search, uint64_t key, uint64_t parent, int n) noexcept nogil
cdef void add_shared_outcome(Search *search, PathStep *step) noexcept nogil
cdef void prefetch_shared(const Search *search, uint32_t edge) noexcept nogil
