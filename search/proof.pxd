# cython: language_level=3
"""What is known for certain at the end of a game: play without any chance event, all of it tried."""
from clerestory.search.iteration cimport Search

cdef bint is_open(const Search *search) noexcept nogil
cdef void prove(Search *search) noexcept nogil
