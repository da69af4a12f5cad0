# cython: language_level=3
"""A tree and the searches of its threads: their settings and their memory."""
from libc.stdint cimport uint32_t, uint64_t

from clerestory.engine.core cimport State, action_t
from clerestory.engine.rng cimport Rng
from clerestory.engine.values.value cimport Valuation
from clerestory.search.estimates cimport ActionSums
from clerestory.search.loop.search cimport Search, gate_t
from clerestory.search.memory.tree cimport Tree, span_t

cdef class SharedTree:
    cdef Tree tree
    cdef gate_t gate
    cdef int stop                # why all threads are to end, an EndOfRun; 0: they continue. Atomic
    cdef uint64_t left           # iterations not claimed by any thread. Atomic

cdef class TreeSearch:
    cdef Search search
    cdef SharedTree shared
    cdef Valuation valuation     # the object behind search.value; None without a guide
    cdef object clock            # a function that returns the time in seconds; None: the system's clock
    cdef object error            # exception that the clock raised in this run
    cdef object open(self, SharedTree tree, State view, object seed, object options, object clock)
    cdef object set_root(self, object root)
    cdef object begin(self)
    cdef span_t row(self)
    cdef bint settled(self)
    cdef ActionSums sums(self, uint32_t place, uint32_t visits)
    cdef list variation(self, action_t a)

cdef Rng stream(object seed)
