# cython: language_level=3
from clerestory.engine.cathedral.state cimport Cathedral

cdef dict unpack_fields(const Cathedral *s, object names)
cdef object pack_fields(object position, object names, Cathedral *s)
