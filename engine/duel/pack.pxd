# cython: language_level=3
from clerestory.engine.duel.state cimport Duel

cdef dict unpack_fields(const Duel *s, object names)
cdef object pack_fields(object position, object names, Duel *s)
