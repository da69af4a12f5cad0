# cython: language_level=3
"""Random numbers: xoshiro256++ (Blackman and Vigna 2021), with its state passed by pointer.

Seeding uses splitmix64, so that neighbouring seeds give unrelated streams. There is no global state: every caller owns
its rng_t.
"""
from libc.stdint cimport uint8_t, uint64_t

cdef extern from *:
    """
    typedef struct { uint64_t s[4]; } rng_t;

    static inline uint64_t rng_splitmix(uint64_t *x) {
        uint64_t z = (*x += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }

    static inline void rng_seed(rng_t *r, uint64_t seed) {
        for (int i = 0; i < 4; i++) r->s[i] = rng_splitmix(&seed);
    }

    static inline uint64_t rng_rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

    static inline uint64_t rng_next(rng_t *r) {
        uint64_t *s = r->s, out = rng_rotl(s[0] + s[3], 23) + s[0], t = s[1] << 17;
        s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3]; s[2] ^= t; s[3] = rng_rotl(s[3], 45);
        return out;
    }

    /* The high half of a 64 x 32 bit product: the bias is below n / 2^64. */
    static inline uint32_t rng_below(rng_t *r, uint32_t n) {
        uint64_t x = rng_next(r), high = (x >> 32) * n, low = (x & 0xFFFFFFFFull) * n;
        return (uint32_t) ((high + (low >> 32)) >> 32);
    }

    static inline double rng_unit(rng_t *r) { return (double) (rng_next(r) >> 11) * 0x1.0p-53; }

    static inline void rng_shuffle(rng_t *r, uint8_t *items, int n) {
        for (int i = n - 1; i > 0; i--) {
            int j = (int) rng_below(r, (uint32_t) i + 1);
            uint8_t t = items[i]; items[i] = items[j]; items[j] = t;
        }
    }
    """
    ctypedef struct rng_t:
        uint64_t s[4]

    void rng_seed(rng_t *r, uint64_t seed) noexcept nogil
    uint64_t rng_next(rng_t *r) noexcept nogil
    unsigned int rng_below(rng_t *r, unsigned int n) noexcept nogil  # 0 .. n-1; always draws one number, even for n = 1
    double rng_unit(rng_t *r) noexcept nogil                         # [0, 1)
    void rng_shuffle(rng_t *r, uint8_t *items, int n) noexcept nogil


cdef class Rng:
    cdef rng_t c
