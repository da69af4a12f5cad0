# cython: language_level=3
"""Sweeps: a full tree gives up its least visited nodes, a few at a time, and the search continues."""
from libc.stdint cimport uint64_t

from clerestory.search.memory.room cimport Room
from clerestory.search.memory.tree cimport Tree

cdef void relieve(Tree *tree, Room *room, uint64_t root, int threads) noexcept nogil
