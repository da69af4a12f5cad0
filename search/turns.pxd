# cython: language_level=3
"""Processor time for threads."""
from libc.stdint cimport uint64_t

cdef extern from "turns.h":
    ctypedef struct worker_t:
        uint64_t nanoseconds
        int niceness
    bint ask_for_turns(uint64_t nanoseconds, int niceness) nogil
    int worker_begin(worker_t *worker) nogil
    void worker_run(worker_t *worker, void (*task)(void *) noexcept nogil, void *subject) noexcept nogil
    void worker_end(worker_t *worker) nogil

cdef class Worker:
    cdef worker_t c
    cdef bint begun
