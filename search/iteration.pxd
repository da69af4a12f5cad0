# cython: language_level=3
"""One iteration of a search."""
from clerestory.search.search cimport Search

cdef void iterate(Search *search) noexcept nogil
