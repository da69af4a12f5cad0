# cython: language_level=3
"""A 64-bit hash of short, word-aligned memory, for keys of positions."""
from libc.stdint cimport uint64_t

cdef extern from *:
    """
    /* Folds the 128-bit product of two words, the mixing step of wyhash (Wang Yi, 2019). */
    static inline uint64_t hash_mix(uint64_t a, uint64_t b) {
        __uint128_t product = (__uint128_t) a * b;
        return (uint64_t) product ^ (uint64_t) (product >> 64);
    }

    static inline uint64_t hash_words(const void *memory, int words) {
        uint64_t h = 0x9E3779B97F4A7C15ull;
        for (int i = 0; i < words; i++) {
            uint64_t w;
            __builtin_memcpy(&w, (const char *) memory + 8 * i, 8);
            h = hash_mix(h ^ w, 0xD6E8FEB86659FD93ull) + 0xA0761D6478BD642Full * (uint64_t) (i + 1);
        }
        return hash_mix(h, 0xE7037ED1A0B428DBull);
    }
    """
    uint64_t hash_words(const void *memory, int words) noexcept nogil
