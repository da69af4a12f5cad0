# cython: language_level=3
"""Checks integers passed from Python. A C parameter would silently truncate a float and accept True as 1."""
from cpython.bool cimport PyBool_Check
from cpython.long cimport PyLong_Check
from cpython.number cimport PyIndex_Check, PyNumber_Index
from libc.stdint cimport int64_t, uint64_t


cdef inline bint is_integer(object value) except -1:
    """Whether a value is an int, or its `__index__` works, as of NumPy's integers. True and False do not count."""
    if PyLong_Check(value):
        return not PyBool_Check(value)
    if not PyIndex_Check(value):
        return False
    try:
        PyNumber_Index(value)
    except TypeError:  # of an array of several numbers
        return False
    return True


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
