# cython: language_level=3
"""Memory for trees, straight from the system, and what ended trees leave for those to come."""

cdef void *reserve(size_t bytes) noexcept nogil
cdef void release(void *array, size_t bytes) noexcept nogil
cdef void *take(size_t bytes) noexcept
cdef void give_back(void *array, size_t bytes) noexcept
