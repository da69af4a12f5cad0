# cython: language_level=3
"""Entering a node, by one thread or by several at once."""
from libc.stdint cimport uint32_t, uint64_t

from clerestory.search.loop.search cimport Search

cdef uint32_t lookup_or_make_node(Search *search, uint64_t key, uint64_t parent, int n) noexcept nogil
