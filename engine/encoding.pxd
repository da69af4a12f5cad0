# cython: language_level=3
"""The input of a learned value: features of each seat, and features of the table that all seats share.

Most features are 0, so the others are written as a sparse list. A game encodes only what everyone can
see: a dealt position and any seat's view of it have equal features. The features of a seat do not depend on its
number, so renumbering the seats only permutes the features.
"""
from libc.stdint cimport uint8_t

from clerestory.engine.bits cimport lowest_bit

cdef extern from *:
    """
    #define MOST_FEATURES 256
    typedef struct {
        int count;
        unsigned char place[MOST_FEATURES];
        float amount[MOST_FEATURES];
    } Sparse;
    """
    ctypedef struct Sparse:      # defined in C, for use in C code as well
        int count
        uint8_t place[256]       # indices of the non-zero features, without duplicates
        float amount[256]        # scaled to about 0 .. 1

cdef struct Encoder:
    int own                      # features of a seat, at most 256
    int table                    # features of the table, likewise
    # fill a list for each seat, one for the table, and the points of each seat so far, in the unit of scores
    void (*encode)(const void *s, Sparse *own, Sparse *table, double *points) noexcept nogil


cdef inline void put(Sparse *features, int place, float amount) noexcept nogil:
    """Add a feature unless it is 0."""
    features.place[features.count] = <uint8_t> place
    features.amount[features.count] = amount
    features.count += amount != 0


cdef inline void put_set(Sparse *features, int first, unsigned int members) noexcept nogil:
    """Add a 1 at first + i for each bit i of a set."""
    while members:
        features.place[features.count] = <uint8_t> (first + lowest_bit(members))
        features.amount[features.count] = 1
        features.count += 1
        members &= members - 1


cdef void write_inputs(
    const Encoder *encoder, const unsigned char[:, ::1] states, float[:, :, ::1] own, float[:, ::1] table,
    float[:, ::1] points
) noexcept nogil
