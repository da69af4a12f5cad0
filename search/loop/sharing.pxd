# cython: language_level=3
"""A tree that several threads search at once: no visit is lost."""
from libc.stdint cimport uint32_t

from clerestory.search.loop.search cimport PathStep, Search

cdef void add_shared_outcome(Search *search, PathStep *step, uint32_t recorded) noexcept nogil
cdef void hand_in_all(Search *search) noexcept nogil
