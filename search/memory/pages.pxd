# cython: language_level=3
"""Memory for trees, directly from the system, and the reuse of memory of finished trees."""

cdef void *reserve(size_t bytes) noexcept nogil
cdef void release(void *array, size_t bytes) noexcept nogil
cdef void *take(size_t bytes) noexcept
cdef void give_back(void *array, size_t bytes) noexcept
