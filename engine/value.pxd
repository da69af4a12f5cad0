# cython: language_level=3
from clerestory.engine.core cimport Value

cdef class Valuation:
    cdef Value c
    cdef readonly str name
    cdef readonly object weights
    cdef object memory           # what c points to
