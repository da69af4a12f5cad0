# cython: language_level=3
"""The Python interface of the random numbers."""
from libc.stdint cimport UINT32_MAX, uint32_t

from clerestory.engine.integers cimport as_seed, whole


def resumed(words):
    """Return the stream that had these words as its `state`."""
    cdef Rng rng = Rng(0)
    for i, word in enumerate(words):
        rng.c.s[i] = word
    return rng


cdef class Rng:
    """A stream of random numbers (xoshiro256++), equal for equal seeds on every machine.

    Args:
        seed: an integer, 0 to 2**64 - 1; not True or False.

    Raises ValueError for any other seed.
    """

    def __cinit__(self, seed):
        rng_seed(&self.c, as_seed(seed))

    def next(self):
        """Return the next 64-bit number."""
        return rng_next(&self.c)

    def below(self, n):
        """Return a number from 0 to n - 1. Raises ValueError for an n that is not from 1 to 2**32 - 1."""
        return rng_below(&self.c, <uint32_t> whole("n", n, 1, UINT32_MAX))

    def unit(self):
        """Return a number in [0, 1)."""
        return rng_unit(&self.c)

    def copy(self):
        """Return an independent copy that continues with the same numbers."""
        cdef Rng other = Rng(0)
        other.c = self.c
        return other

    def __reduce__(self):
        """Support pickling."""
        return resumed, (self.state,)

    @property
    def state(self):
        """The four 64-bit words of the generator."""
        return self.c.s[0], self.c.s[1], self.c.s[2], self.c.s[3]
