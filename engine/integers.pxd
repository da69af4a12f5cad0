# cython: language_level=3
"""Reading integers that Python passes. A C parameter would truncate a float without a word, and take True for 1."""
from cpython.bool cimport PyBool_Check
from cpython.number cimport PyIndex_Check
from libc.stdint cimport int64_t, uint64_t


cdef inline bint is_integer(object value):
    """Whether it is an int, or counts as one (`__index__`), as NumPy's integers do. True and False do not."""
    return PyIndex_Check(value) and not PyBool_Check(value)


cdef inline int64_t whole(str name, object value, int64_t least, int64_t most) except? -1:
    """Return an integer of a range. Raises ValueError, which names the argument, for anything else."""
    if not is_integer(value) or not least <= value <= most:
        raise ValueError(f"{name}: {value!r} is not a whole number from {least} to {most}")
    return value


cdef inline uint64_t as_seed(object value) except? 0:
    """Return an integer from 0 to 2**64 - 1. Raises ValueError for anything else."""
    if not is_integer(value) or not 0 <= value < 1 << 64:
        raise ValueError(f"seed: {value!r} is not a whole number from 0 to 2**64 - 1")
    return value
