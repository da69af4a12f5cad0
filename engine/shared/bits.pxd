# cython: language_level=3
"""Sets as bit masks, and lists of action codes made from them; inline, for the rules of games."""
from libc.stdint cimport uint16_t

cdef extern from *:
    int lowest_bit "__builtin_ctz"(unsigned int) noexcept nogil         # undefined for 0
    int lowest_of "__builtin_ctzll"(unsigned long long) noexcept nogil  # undefined for 0
    int leading_zeros "__builtin_clz"(unsigned int) noexcept nogil      # undefined for 0
    bint rarely "__builtin_expect"(bint, bint) noexcept nogil           # (condition, 0)


cdef inline int popcount(unsigned int bits) noexcept nogil:
    """Return the number of bits set. Without POPCNT, the compiler's built-in would be a function call."""
    bits -= bits >> 1 & 0x55555555u
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u)
    return <int> (((bits + (bits >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24)


# -- listing actions -------------------------------------------------------------------------------

cdef inline int list_set(unsigned int members, int first_code, uint16_t *out) noexcept nogil:
    """Write first_code + member for each member of a set, ascending; return the number written."""
    cdef int n = 0
    while members:
        out[n] = <uint16_t> (first_code + lowest_bit(members))
        members &= members - 1
        n += 1
    return n

cdef inline int list_run(int count, int first_code, uint16_t *out) noexcept nogil:
    """Write count codes from first_code on; return the number written, 0 for a negative count."""
    cdef int i
    for i in range(count):
        out[i] = <uint16_t> (first_code + i)
    return max(count, 0)

cdef inline int list_two(int one, int other, uint16_t *out) noexcept nogil:
    """Write two codes, the lower one first."""
    out[0] = <uint16_t> one
    out[1] = <uint16_t> other
    return 2
