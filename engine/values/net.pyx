# cython: language_level=3
from libc.stdlib cimport free
from libc.string cimport memset

from clerestory.engine.core cimport MAX_SEATS, OVER
from clerestory.engine.elementary cimport elementary_exp

cdef extern from *:
    """
    #include <stdlib.h>
    #define WIDTH 4
    #define NAME(x) x##_of_4
    #define TARGET
    #include "net_kernel.h"
    #undef WIDTH
    #undef NAME
    #undef TARGET
    #if defined(__x86_64__)
    #define WIDTH 8
    #define NAME(x) x##_of_8
    #define TARGET __attribute__((target("avx2")))
    #include "net_kernel.h"
    #define is_wide() __builtin_cpu_supports("avx2")
    #else
    #define run_net_of_8 run_net_of_4
    #define is_wide() 0
    #endif
    """
    void run_net_of_4(
        const NetWeights *net, const Sparse *own, const Sparse *table, int seats, float *scores, float *strengths
    ) noexcept nogil
    void run_net_of_8(
        const NetWeights *net, const Sparse *own, const Sparse *table, int seats, float *scores, float *strengths
    ) noexcept nogil
    bint is_wide() noexcept nogil
    int posix_memalign(void **memory, size_t alignment, size_t size) noexcept nogil

cdef enum:
    HIDDEN = 32
    SECOND = 16
    ALIGNMENT = 64
    AFTER_ROWS = HIDDEN + (HIDDEN + 1) * SECOND + 4 * SECOND + 1  # weights from `bias` on


cdef void net_begin(Net *net, const GameOps *ops, const Encoder *encoder, bint narrow) noexcept nogil:
    """Clear a net and set everything but its weights."""
    memset(net, 0, sizeof(Net))
    net.ops, net.encoder = ops, encoder
    net.run = run_net_of_8 if is_wide() and not narrow else run_net_of_4


# -- evaluating a position -------------------------------------------------------------------------

cdef bint evaluate(const void *weights, const void *s, double *scores, double *shares) noexcept nogil:
    """Write expected final scores and win shares; after the end of the game, the actual ones."""
    cdef const Net *net = <const Net *> weights
    cdef Sparse own[MAX_SEATS]
    cdef Sparse table
    cdef float to_come[MAX_SEATS]
    cdef float strengths[MAX_SEATS]
    cdef int seat, seats = (<const unsigned char *> s)[0]
    if net.ops.turn(s) == OVER:
        net.ops.scores(s, scores)
        net.ops.returns(s, shares)
        return True
    net.encoder.encode(s, own, &table, scores)
    net.run(&net.weights, own, &table, seats, to_come, strengths)
    for seat in range(seats):
        scores[seat] += to_come[seat]
    share_out(strengths, seats, shares)
    return True


cdef inline void share_out(const float *strengths, int seats, double *shares) noexcept nogil:
    """Write the softmax of strengths."""
    cdef float best = strengths[0]
    cdef double total = 0
    cdef int seat
    for seat in range(1, seats):
        best = max(best, strengths[seat])
    for seat in range(seats):
        shares[seat] = elementary_exp(<double> strengths[seat] - best)
        total += shares[seat]
    for seat in range(seats):
        shares[seat] /= total


# -- in memory -------------------------------------------------------------------------------------

cdef class NetMemory:
    """A net in memory, for one game.

    Args:
        game: the game of the weights.
        weights: weights of the net.
        narrow: whether to avoid wide vectors even if the processor has them; the outputs are the same.
    """

    def __init__(self, Game game not None, weights, *, bint narrow=False):
        if posix_memalign(<void **> &self.net, ALIGNMENT, sizeof(Net)):
            raise MemoryError("no memory for a net")
        net_begin(self.net, game.ops, game.encoder, narrow)
        self.fill(game, weights.arrays)

    def __dealloc__(self):
        free(self.net)
        free(self.rows)

    def content(self):
        """Return the weights as they are in memory, for other builds: the rows, and those from `bias` on."""
        cdef Py_ssize_t rows = (2 * self.net.encoder.own + self.net.encoder.table) * HIDDEN * sizeof(float)
        cdef Py_ssize_t others = AFTER_ROWS * sizeof(float)
        return (<const char *> self.rows)[:rows], (<const char *> self.net.weights.bias)[:others]

    cdef Value value(self):
        """Return the net as a Value, which is valid as long as this object lives."""
        return Value(weights=self.net, evaluate=evaluate)

    cdef object fill(self, Game game, object arrays):
        """Copy the arrays to the memory used by inference."""
        cdef NetWeights *weights = &self.net.weights
        cdef int own = game.encoder.own, table = game.encoder.table
        of_seat, of_table = game.sides
        if posix_memalign(<void **> &self.rows, ALIGNMENT, (2 * own + table) * HIDDEN * sizeof(float)):
            raise MemoryError("no memory for a net")
        sum_rows(self.rows, 2 * HIDDEN, of_seat.rows, arrays["own"])
        sum_rows(self.rows + HIDDEN, 2 * HIDDEN, of_seat.rows, arrays["others"])
        sum_rows(self.rows + 2 * own * HIDDEN, HIDDEN, of_table.rows, arrays["table"])
        weights.own, weights.table = self.rows, self.rows + 2 * own * HIDDEN
        copy_rows(weights.bias, HIDDEN, arrays["bias"], HIDDEN)
        copy_rows(&weights.second[0][0], SECOND, arrays["second"], SECOND)
        copy_rows(weights.second_bias, SECOND, arrays["second_bias"], SECOND)
        copy_rows(&weights.heads[0][0], 4, arrays["score"], 1)
        copy_rows(&weights.heads[0][1], 4, arrays["strength"], 1)
        weights.score_bias = arrays["score_bias"][0]


cdef object sum_rows(float *out, int stride, places, const float[::1] weights):
    """Write, for each place, the weighted sum of its features' weights, `stride` floats apart."""
    cdef Py_ssize_t place, feature, i
    cdef float amount
    for place, row in enumerate(places):
        for i in range(HIDDEN):
            out[place * stride + i] = 0
        for feature, amount in row:
            for i in range(HIDDEN):
                out[place * stride + i] += weights[feature * HIDDEN + i] * amount


cdef object copy_rows(float *out, int stride, const float[::1] rows, int width):
    """Copy rows of a width, `stride` floats apart."""
    cdef Py_ssize_t i
    for i in range(rows.shape[0]):
        out[i // width * stride + i % width] = rows[i]
