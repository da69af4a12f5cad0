# cython: language_level=3
"""Proofs at the end of a game: outcomes that are certain because no chance event remains."""
from clerestory.search.loop.search cimport Search

cdef bint is_open(const Search *search) noexcept nogil
cdef void prove(Search *search) noexcept nogil
