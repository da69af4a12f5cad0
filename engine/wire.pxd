# cython: language_level=3
"""The protobuf wire format (https://protobuf.dev/programming-guides/encoding), as far as messages here use it."""
from libc.stdint cimport int64_t, uint8_t, uint64_t

cdef enum:
    MOST_FIELDS = 64       # of a message that is read: numbers of fields are below

cdef enum WireType:
    VARINT = 0
    FIXED64 = 1
    BYTES = 2
    FIXED32 = 5


cdef struct Cursor:
    const uint8_t *at
    const uint8_t *end


cdef inline bint read_varint(Cursor *c, uint64_t *out) noexcept nogil:
    """Read a number of at most 64 bits; False if it is cut off or longer."""
    cdef int shift = 0
    cdef uint8_t byte
    out[0] = 0
    while c.at < c.end and shift < 64:
        byte = c.at[0]
        c.at += 1
        out[0] |= <uint64_t> (byte & 127) << shift
        if byte < 128:
            return True
        shift += 7
    return False


cdef inline bint read_short(Cursor *c, uint64_t *out) noexcept nogil:
    """Read a tag or a length; False if it is cut off, or has more than the 32 bits or 5 bytes that protobuf allows."""
    cdef const uint8_t *first = c.at
    return read_varint(c, out) and c.at - first <= 5 and not out[0] >> 32


cdef inline bint read_tag(Cursor *c, int *number, int *kind) noexcept nogil:
    """Read the number and the wire type of a field; False if the number is not that of a known field."""
    cdef uint64_t tag
    if not read_short(c, &tag) or tag >> 3 == 0 or tag >> 3 >= MOST_FIELDS:
        return False
    number[0] = <int> (tag >> 3)
    kind[0] = <int> (tag & 7)
    return True


cdef inline bint read_part(Cursor *c, Cursor *part) noexcept nogil:
    """Read a text or a message; False if it is cut off."""
    cdef uint64_t length
    if not read_short(c, &length) or length > <uint64_t> (c.end - c.at):
        return False
    part.at = c.at
    part.end = c.at + length
    c.at = part.end
    return True


cdef inline bint skip(Cursor *c, int kind) noexcept nogil:
    """Skip the value of a field; False for a group, or if it is cut off."""
    cdef uint64_t value
    cdef Cursor part
    if kind == VARINT:
        return read_varint(c, &value)
    if kind == BYTES:
        return read_part(c, &part)
    value = 8 if kind == FIXED64 else 4
    if kind not in (FIXED64, FIXED32) or value > <uint64_t> (c.end - c.at):
        return False
    c.at += value
    return True


cdef inline bytes taken(const Cursor *part):
    return (<const char *> part.at)[: part.end - part.at]


cdef inline bint read_number(Cursor *c, bint zigzag, int64_t *out) noexcept nogil:
    """Read a number of at most 32 bits; False if it is cut off or longer."""
    cdef uint64_t value
    if not read_varint(c, &value) or value >> 32:
        return False
    out[0] = <int64_t> (value >> 1) ^ -<int64_t> (value & 1) if zigzag else <int64_t> value
    return True
