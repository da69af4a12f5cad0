# cython: language_level=3
"""What the games that go from step to step have in common: how their structs begin, and what each step asks."""
from libc.stdint cimport int8_t, uint8_t, uint16_t

cdef struct Course:              # how the struct of such a game begins
    uint8_t seats
    uint8_t step
    int8_t actor                 # seat to decide, NATURE or OVER

ctypedef int (*legal_rule)(const void *s, uint16_t *out) noexcept nogil
ctypedef void (*play_rule)(void *s, int a) noexcept nogil

cdef struct StepRule:
    int step                     # also its row
    legal_rule legal             # write the actions or outcomes that can follow, ascending; return how many
    play_rule play               # apply one of them


cdef inline int actor_of(const void *s) noexcept nogil:
    return (<const Course *> s).actor


cdef inline int step_of(const void *s) noexcept nogil:
    return (<const Course *> s).step


cdef inline int legal_nothing(const void *s, uint16_t *out) noexcept nogil:
    """The game is over."""
    return 0


cdef inline void play_nothing(void *s, int a) noexcept nogil:
    """The game is over."""


cdef inline double with_terms(double points, const double *terms, const double *weights, int n) noexcept nogil:
    """Points and n weighted terms, added in their order: the value that a guide gives a seat."""
    cdef int i
    for i in range(n):
        points += weights[i] * terms[i]
    return points
