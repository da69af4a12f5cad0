# cython: language_level=3
"""The functions of elementary.pxd for Python, so that reports have the same bits on every machine."""
from libc.math cimport isfinite


def exp(double x):
    """Return e to the x, to 3 units in the last place; x is limited to -700 to 700.

    Raises ValueError for a number that is not finite.
    """
    require_finite(x)
    return elementary_exp(x)


def log(double x):
    """Return the natural logarithm, to 2 units in the last place. Raises ValueError unless x is a normal number > 0."""
    require_normal(x)
    return elementary_log(x)


def power(double base, double exponent):
    """Return `base` to the `exponent`, to a few units in the last place; 0 to an exponent above 0 is 0.

    Raises ValueError unless the base is 0 with an exponent above 0, or a normal number above 0.
    """
    require_finite(exponent)
    if base != 0 or exponent <= 0:
        require_normal(base)
    return elementary_power(base, exponent)


cdef int require_finite(double x) except -1:
    if not isfinite(x):
        raise ValueError(f"{x!r} is not finite")
    return 0


cdef int require_normal(double x) except -1:
    require_finite(x)
    if x < 2.2250738585072014e-308:
        raise ValueError(f"{x!r} is not a normal number above 0")
    return 0
