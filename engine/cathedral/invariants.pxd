# cython: language_level=3
from clerestory.engine.core cimport Invariant

cdef enum:
    NUM_INVARIANTS = 21

cdef Invariant INVARIANTS[NUM_INVARIANTS]
