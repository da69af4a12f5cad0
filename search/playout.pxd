# cython: language_level=3
"""How a world is played on below the tree, and what it was worth."""
from clerestory.engine.rng cimport rng_t
from clerestory.search.iteration cimport Search

cdef void play_uniformly(Search *search) noexcept nogil
cdef void play_informed(Search *search) noexcept nogil
cdef void play_by_habit(Search *search) noexcept nogil
cdef int pick(const float *weights, int n, rng_t *rng) noexcept nogil
