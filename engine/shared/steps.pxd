# cython: language_level=3
"""Common parts of games that proceed in steps: the beginning of their structs, and the rules of each step."""
from libc.stdint cimport int8_t, uint8_t, uint16_t

cdef struct Course:              # beginning of the struct of a game in steps
    uint8_t seats
    uint8_t step
    int8_t actor                 # seat to decide, NATURE or OVER

ctypedef int (*legal_rule)(const void *s, uint16_t *out) noexcept nogil
ctypedef void (*play_rule)(void *s, int a) noexcept nogil

cdef struct StepRule:
    int step                     # also its row
    legal_rule legal             # write the possible actions or outcomes, ascending; return their number
    play_rule play               # apply one of them


cdef inline int actor_of(const void *s) noexcept nogil:
    return (<const Course *> s).actor


cdef inline int step_of(const void *s) noexcept nogil:
    return (<const Course *> s).step


cdef inline int legal_nothing(const void *s, uint16_t *out) noexcept nogil:
    """List nothing: the game is over."""
    return 0


cdef inline void play_nothing(void *s, int a) noexcept nogil:
    """Do nothing: the game is over."""


cdef inline double with_terms(double points, const double *terms, const double *weights, int n) noexcept nogil:
    """Return points plus n weighted terms, added in order: the value of a seat in a guide."""
    cdef int i
    for i in range(n):
        points += weights[i] * terms[i]
    return points
