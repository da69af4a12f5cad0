# cython: language_level=3
"""Checks integers passed from Python. A C parameter would silently truncate a float and accept True as 1."""
from cpython.bool cimport PyBool_Check
from cpython.number cimport PyIndex_Check
from libc.stdint cimport int64_t, uint64_t


cdef inline bint is_integer(object value):
    """Whether a value is an int, or has `__index__`, like NumPy's integers. True and False do not count."""
    return PyIndex_Check(value) and not PyBool_Check(value)


cdef inline int64_t whole(str name, object value, int64_t least, int64_t most) except? -1:
    """Return an integer in a range. Raises ValueError, which names the argument, for anything else."""
    if not is_integer(value) or not least <= value <= most:
        raise ValueError(f"{name}: {value!r} is not a whole number from {least} to {most}")
    return value


cdef inline uint64_t as_seed(object value) except? 0:
    """Return an integer from 0 to 2**64 - 1. Raises ValueError for anything else."""
    if not is_integer(value) or not 0 <= value < 1 << 64:
        raise ValueError(f"seed: {value!r} is not a whole number from 0 to 2**64 - 1")
    return value
