# cython: language_level=3
from clerestory.engine.cathedral.data.state cimport Cathedral
from clerestory.engine.core cimport Invariant

cdef enum:
    NUM_INVARIANTS = 22

cdef Invariant INVARIANTS[NUM_INVARIANTS]

cdef bint consistent(const Cathedral *s) noexcept nogil
