# cython: language_level=3
from clerestory.engine.core cimport Game


cdef class Observer:
    cdef readonly Game game
    cdef readonly int seats
    cdef readonly str kind
    cdef readonly int size     # numbers in an observation
    cdef readonly object dtype  # of these numbers
    cdef bint has_features
    # Write what a seat observes of a position: `size` numbers, at an address that is a multiple of 8
    cdef void write(self, const void *s, int seat, void *out) noexcept nogil
