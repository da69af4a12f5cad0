# cython: language_level=3
"""The input of a learned value: features of each seat, and features of the table that all seats share.

Most features are 0, so the others are written as a sparse list. A game only encodes public information: a dealt
position and any seat's view of it have equal features. The features of a seat do not depend on its number, so
renumbering the seats only permutes the features.
"""
from libc.stdint cimport uint8_t

from clerestory.engine.shared.bits cimport lowest_bit

cdef extern from *:
    """
    #define MOST_FEATURES 256
    typedef struct {
        int count;
        unsigned char place[MOST_FEATURES];
        float amount[MOST_FEATURES];
    } Sparse;
    """
    ctypedef struct Sparse:      # defined in C, so that C code can use it
        int count
        uint8_t place[256]       # indices of the non-zero features, without duplicates
        float amount[256]        # scaled to about 0 .. 1

cdef struct Encoder:
    int own                      # features of a seat, at most 256
    int table                    # features of the table, likewise
    # write a list per seat, one for the table, and each seat's points so far, in the unit of scores
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


cdef inline void scatter(const Sparse *features, float *out) noexcept nogil:
    """Write the features of a list into zeroed memory."""
    cdef int i
    for i in range(features.count):
        out[features.place[i]] = features.amount[i]


cdef void write_inputs(
    const Encoder *encoder, const unsigned char[:, ::1] states, float[:, :, ::1] own, float[:, ::1] table,
    float[:, ::1] points
) noexcept nogil
