# cython: language_level=3
"""Reads the table of a search: the row of its root, the sums of an action, principal variations."""
from libc.stdint cimport uint32_t

from clerestory.engine.core cimport action_t
from clerestory.search.estimates cimport ActionSums
from clerestory.search.loop.search cimport Search
from clerestory.search.memory.tree cimport span_t

cdef enum:
    MOST_VARIATION = 4096        # actions

cdef span_t root_row(const Search *search) noexcept nogil
cdef ActionSums sums_of(const Search *search, uint32_t place, uint32_t visits) noexcept nogil
cdef int write_variation(const Search *search, action_t a, action_t *out) noexcept nogil
