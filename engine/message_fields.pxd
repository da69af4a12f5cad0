# cython: language_level=3
"""Fields of protobuf messages, and the readers of their values."""
from libc.stdint cimport int64_t, uint8_t, uint64_t

from clerestory.engine.wire cimport MOST_FIELDS, Cursor

cdef enum:
    MOST_HOMES = 8         # sets of cards

cdef enum Op:              # how a field is read
    UNKNOWN
    NUMBER
    SEAT_FLAG              # a bit of a set of seats
    NAME
    NAMES                  # a fixed number of them
    SET                    # bits of distinct names
    DECK                   # names, at the end of an array
    ORDER                  # names, packed into a word
    COUNTS                 # names with repeats, 4 bits for the count of each
    AMOUNTS                # a message of numbers
    OTHER                  # a list that its kind converts
    PLAYERS

cdef struct Slot:
    Op op
    bint in_player         # whether its offset counts from the player, not from the position
    bint absent_fits       # whether the value may be absent
    int offset             # of its first number, bytes
    int size               # of a number, bytes
    int count              # numbers, names or amounts; most names of a set, a deck, an order or counts
    int bits               # of each entry of a word; 0 for an array
    int seated             # names from this number on are those of the seats; ANY for none
    bint unique
    bint zigzag
    int home               # index of the set of its cards; NOWHERE for none
    int64_t low, high      # of a number
    int64_t first          # number that the struct holds as 0
    int64_t absent         # number of an absent value

cdef struct Home:          # a set of cards, each in one place
    uint64_t taken         # cards with a place
    uint64_t everywhere    # cards that may have several

cdef struct Target:        # where a message goes
    uint8_t *position      # its first byte holds the number of seats
    uint8_t *player        # the player whose message it is
    int seat               # of that player
    int owner              # the same; -1 for the position itself
    Home homes[MOST_HOMES]

cdef inline void store(uint8_t *at, int size, int64_t number) noexcept nogil:
    """Store a number, least significant byte first, as on every supported machine."""
    cdef int i
    for i in range(size):
        at[i] |= <uint8_t> (number >> 8 * i & 255)


cdef class MessageReader:
    cdef Slot slots[MOST_FIELDS]
    cdef list names        # by number of a field: its vocabulary; of amounts: their places
    cdef list others       # likewise: of fields that only their kinds can convert
    cdef bint count(self, Cursor c, int *counts) noexcept
    cdef bint read(self, Cursor c, Target *to, list others) except -1
    cdef bint _read_value(self, int number, int kind, int i, int count, Cursor *c, Target *to) except -1
