# cython: language_level=3
"""Compaction of a tree that continues from a later root."""
from libc.stdint cimport uint64_t

from clerestory.search.memory.tree cimport Tree

cdef double compaction_seconds(const Tree *tree) noexcept nogil
cdef bint tree_compact(Tree *tree, uint64_t root) noexcept nogil
