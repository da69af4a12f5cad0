# cython: language_level=3
from clerestory.engine.core cimport Invariant

cdef enum:
    NUM_INVARIANTS = 22

cdef Invariant INVARIANTS[NUM_INVARIANTS]
