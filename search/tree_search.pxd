# cython: language_level=3
"""The search of one tree: its memory, its settings, and what it has recorded."""
from libc.stdint cimport uint32_t, uint64_t

from clerestory.engine.core cimport State, action_t
from clerestory.engine.rng cimport Rng
from clerestory.engine.value cimport Valuation
from clerestory.search.search cimport Search

cdef class TreeSearch:
    cdef Search search
    cdef Valuation valuation     # what search.value is of; None without a guide
    cdef object clock            # a function that returns the time in seconds; None: the system's clock
    cdef object open(self, State view, object seed, object options, uint64_t max_bytes, int *stop, object clock)
    cdef bint open_statistics(self, object options)
    cdef object choose(self, object options)
    cdef object set_scale(self, object options)
    cdef object set_root(self, object root)
    cdef uint32_t root(self)
    cdef dict statistics(self)
    cdef object sums(self, uint32_t edge)
    cdef list variation(self, action_t a)
    cdef int next_code(self, const void *view)

cdef Rng stream(object seed)
