# cython: language_level=3
"""A 64-bit hash of short, word-aligned memory, for keys of positions."""
from libc.stdint cimport uint64_t

cdef extern from *:
    """
    /* Folds the 128-bit product of two words, the mixing step of wyhash (Wang Yi, 2019). */
    #ifdef __wasm__  /* has no such instruction: in four parts, as the library's function for it is slow */
    static inline uint64_t hash_mix(uint64_t a, uint64_t b) {
        uint64_t low = (uint32_t) a, high = a >> 32, less = (uint32_t) b, more = b >> 32;
        uint64_t carried = low * less >> 32, inner, outer;
        __asm__("" : "+r"(carried));  /* hides the product from Clang 22, which would call that function after all */
        inner = high * less + carried;
        outer = low * more + (uint32_t) inner;
        return (a * b) ^ (high * more + (inner >> 32) + (outer >> 32));
    }
    #else
    static inline uint64_t hash_mix(uint64_t a, uint64_t b) {
        __uint128_t product = (__uint128_t) a * b;
        return (uint64_t) product ^ (uint64_t) (product >> 64);
    }
    #endif

    static inline uint64_t hash_word(const void *memory, int i) {
        uint64_t word;
        __builtin_memcpy(&word, (const char *) memory + 8 * i, 8);
        return word;
    }

    /* Two words a step, on four lanes that do not wait for each other. No word of a position is one of the
       constants, as bytes of positions are small; else its neighbour would not count. */
    static inline uint64_t hash_words(const void *memory, int words) {
        static const uint64_t SALT[4] = {
            0xA0761D6478BD642Full, 0xE7037ED1A0B428DBull, 0x8EBC6AF09C88C6E3ull, 0xD6E8FEB86659FD93ull};
        uint64_t lane[4] = {  /* large: a product with a small factor would hardly mix */
            0x9E3779B97F4A7C15ull, 0xBF58476D1CE4E5B9ull, 0x94D049BB133111EBull, 0x2545F4914F6CDD1Dull ^ words};
        int i = 0;
        for (; i + 8 <= words; i += 8)
            for (int k = 0; k < 4; k++)
                lane[k] = hash_mix(hash_word(memory, i + 2 * k) ^ SALT[k], hash_word(memory, i + 2 * k + 1) ^ lane[k]);
        for (int k = 0; i < words; k = (k + 1) & 3, i++)
            lane[k] = hash_mix(hash_word(memory, i) ^ SALT[k], lane[k] ^ SALT[3 - k]);
        return hash_mix(hash_mix(lane[0] ^ SALT[1], lane[1]) ^ SALT[2], hash_mix(lane[2] ^ SALT[3], lane[3]) ^ SALT[0]);
    }
    """
    uint64_t hash_words(const void *memory, int words) noexcept nogil
