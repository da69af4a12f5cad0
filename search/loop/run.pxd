# cython: language_level=3
"""Runs of a search: many iterations, and why they ended."""
from libc.stdint cimport uint64_t

from clerestory.engine.core cimport action_t
from clerestory.search.loop.search cimport Search

cdef enum EndOfRun:              # why a run ended, the strongest reason last
    BY_PAUSE
    BY_ITERATIONS
    BY_DECISION
    BY_TIME
    BY_STOP

cdef void begin_root(
    Search *search, const void *view, int observer, int seat, const action_t *considered, int n, bint hands
) noexcept nogil
cdef uint64_t root_visits(const Search *search) noexcept nogil
cdef int run_until(Search *search, double pause, double deadline, bint early) noexcept nogil
cdef bint root_settled(const Search *search) noexcept nogil
