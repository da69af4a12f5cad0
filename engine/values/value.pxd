# cython: language_level=3
from clerestory.engine.core cimport Priors, State, Value

cdef class Valuation:
    cdef Value c
    cdef readonly str name
    cdef readonly object weights
    cdef object memory           # keeps alive the memory of c
    cdef const float[:, :, ::1] factors  # factors of the guide's weights by seats, round and action, if it has priors
    cdef Priors priors(self, State state)
