# cython: language_level=3
"""Addresses of struct members, with which the fields that a game declares (layout.py) refer to them."""
from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t

ctypedef fused member:
    int8_t
    uint8_t
    uint16_t
    uint32_t
    uint64_t


cdef inline tuple at(const member *first, int count=1):
    """Return the address of a member, its type as the module struct calls it, and how many there are in a row."""
    if member is int8_t:
        return <size_t> first, "b", count
    else:
        return <size_t> first, {1: "B", 2: "H", 4: "I", 8: "Q"}[sizeof(member)], count
