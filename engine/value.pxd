# cython: language_level=3
from clerestory.engine.core cimport Priors, State, Value

cdef class Valuation:
    cdef Value c
    cdef readonly str name
    cdef readonly object weights
    cdef object memory           # what c points to
    cdef const float[:, :, ::1] factors  # of the guide's weights: seats, round, action; if it has priors
    cdef Priors priors(self, State state)
