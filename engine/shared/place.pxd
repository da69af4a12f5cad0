# cython: language_level=3
"""Addresses of struct members, used by the field declarations of games (layout.py)."""
from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t

ctypedef fused member:
    int8_t
    uint8_t
    uint16_t
    uint32_t
    uint64_t


cdef inline tuple at(const member *first, int count=1):
    """Return the address of a member, its type code of the module struct, and the number of adjacent ones."""
    if member is int8_t:
        return <size_t> first, "b", count
    else:
        return <size_t> first, {1: "B", 2: "H", 4: "I", 8: "Q"}[sizeof(member)], count
