# cython: language_level=3
"""Playouts: play a world from a leaf of the tree, and evaluate the outcome."""
from clerestory.engine.rng cimport rng_t
from clerestory.search.loop.search cimport Search

cdef void play_uniformly(Search *search) noexcept nogil
cdef void play_informed(Search *search) noexcept nogil
cdef int pick(const float *weights, int n, rng_t *rng) noexcept nogil
