# cython: language_level=3
from clerestory.engine.core cimport GameOps

cdef GameOps OPS
