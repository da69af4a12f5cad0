# cython: language_level=3
"""Exponentials, logarithms and powers with the same bits on every machine.

The last digit of the C library's results depends on the processor and the library. These functions only use additions,
multiplications, divisions and the bits of a number, which IEEE 754 fixes, and are compiled without contraction.
Method: W. J. Cody, W. Waite 1980, Software Manual for the Elementary Functions, chapters 5 and 6.
"""

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #include <string.h>

    #define ELEMENTARY_LOG2_E 1.4426950408889634
    #define ELEMENTARY_LN2_HIGH 0.693147180369123816490  /* ends in zeros: its products with small integers are exact */
    #define ELEMENTARY_LN2_LOW 1.90821492927058770002e-10

    static const double elementary_inverse_factorial[13] = {
        1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
        1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600,
    };

    /* x = n ln 2 + r with |r| <= ln 2 / 2, and e to the r is its Taylor series. */
    static inline double elementary_exp(double x) {
        double whole, r, sum = elementary_inverse_factorial[12], power;
        int64_t bits;
        int n, i;
        x = x < -700.0 ? -700.0 : x > 700.0 ? 700.0 : x;
        whole = x * ELEMENTARY_LOG2_E + (x > 0 ? 0.5 : -0.5);
        n = (int) whole;  /* to the nearest */
        r = x - n * ELEMENTARY_LN2_HIGH - n * ELEMENTARY_LN2_LOW;
        for (i = 11; i >= 0; i--) sum = sum * r + elementary_inverse_factorial[i];
        bits = (int64_t) (n + 1023) << 52;
        memcpy(&power, &bits, 8);
        return sum * power;
    }

    /* x = m 2^n with m from sqrt(1/2) to sqrt(2), and ln m = 2 artanh(s) with s = (m - 1) / (m + 1), |s| < 0.172. */
    static inline double elementary_log(double x) {
        double m, s, square, sum = 0.0;
        int64_t bits;
        int n, i;
        memcpy(&bits, &x, 8);
        n = (int) (bits >> 52) - 1023;
        bits = (bits & 0xFFFFFFFFFFFFFll) | (int64_t) 1023 << 52;
        memcpy(&m, &bits, 8);
        if (m > 1.4142135623730951) {
            m *= 0.5;
            n++;
        }
        s = (m - 1.0) / (m + 1.0);
        square = s * s;
        for (i = 23; i >= 3; i -= 2) sum = (sum + 1.0 / i) * square;
        return n * ELEMENTARY_LN2_HIGH + (2.0 * s + (2.0 * s * sum + n * ELEMENTARY_LN2_LOW));
    }

    static inline double elementary_power(double base, double exponent) {
        return base == 0.0 ? 0.0 : elementary_exp(exponent * elementary_log(base));
    }
    """
    # e to the x; x is limited to -700 to 700
    double elementary_exp(double x) noexcept nogil
    # natural logarithm of a normal number above 0
    double elementary_log(double x) noexcept nogil
    # a normal number above 0, or 0, to an exponent above 0
    double elementary_power(double base, double exponent) noexcept nogil
