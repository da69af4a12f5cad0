# cython: language_level=3
cdef int check(const void *state) noexcept nogil
