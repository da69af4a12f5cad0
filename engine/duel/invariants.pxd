# cython: language_level=3
from clerestory.engine.core cimport Invariant
from clerestory.engine.duel.data.state cimport Duel

cdef enum:
    NUM_INVARIANTS = 11

cdef Invariant INVARIANTS[NUM_INVARIANTS]

cdef bint consistent(const Duel *s) noexcept nogil
