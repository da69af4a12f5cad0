# cython: language_level=3
"""The Python handle of the random numbers."""
from libc.stdint cimport uint64_t


cdef class Rng:
    """A stream of random numbers (xoshiro256++), equal for equal seeds on every machine.

    Args:
        seed: 0 to 2**64 - 1.

    Raises ValueError for any other seed.
    """

    def __cinit__(self, seed):
        if not isinstance(seed, int) or not 0 <= seed < 1 << 64:
            raise ValueError(f"seed: {seed!r} is not a whole number from 0 to 2**64 - 1")
        rng_seed(&self.c, <uint64_t> seed)

    def next(self):
        """Return the next 64-bit number."""
        return rng_next(&self.c)

    def below(self, unsigned int n):
        """Return a number from 0 to n - 1. Raises ValueError for n = 0."""
        if n == 0:
            raise ValueError("n must be at least 1")
        return rng_below(&self.c, n)

    def unit(self):
        """Return a number in [0, 1)."""
        return rng_unit(&self.c)

    def copy(self):
        """Return a stream that will go on exactly as this one."""
        cdef Rng other = Rng(0)
        other.c = self.c
        return other

    @property
    def state(self):
        """The four 64-bit words of the generator."""
        return self.c.s[0], self.c.s[1], self.c.s[2], self.c.s[3]
