# cython: language_level=3
from clerestory.engine.encoding cimport Encoder

cdef Encoder ENCODER
