# cython: language_level=3
from libc.stdint cimport uint64_t

from clerestory.engine.core cimport GameOps
from clerestory.engine.rng cimport rng_t

cdef uint64_t play_out(const GameOps *ops, void *s, rng_t *rng) noexcept nogil
