# cython: language_level=3
"""A small net over the features of a position: one for all numbers of seats, shared by the seats.

    a_i = own' x_i          x_i: features of seat i (sparse)
    b_i = others' x_i
    h_i = relu(a_i + (sum of b_j over the other seats) / (seats - 1) + table' g + bias)       g: features of the table
    k_i = relu(second' h_i + second_bias)
    score of seat i = its points so far + score . k_i + score_bias
    win shares = softmax over the seats of strength . k_i

Renaming seats therefore renames the outputs, for any weights. TD-Gammon used small nets over hand-made features
(Tesauro 1995, CACM 38(3)); Deep Sets use sums over the others (Zaheer et al. 2017, NeurIPS 30).
"""
from clerestory.engine.core cimport Game, GameOps, Value
from clerestory.engine.encoding cimport Encoder, Sparse

cdef extern from *:
    """
    #define HIDDEN 32
    #define SECOND 16
    #define MOST_SEATS 4
    typedef struct {
        const float *own;    /* (places, 2 * HIDDEN): one row of own, one of others; of cards, what they do summed */
        const float *table;  /* (places, HIDDEN) */
        float pad[16 - 2 * sizeof(float *) / sizeof(float)];
        float bias[HIDDEN], second[HIDDEN][SECOND], second_bias[SECOND], heads[SECOND][4], score_bias;
    } NetWeights;            /* aligned to 64 bytes, and the rows too */
    """
    ctypedef struct NetWeights:
        const float *own
        const float *table
        float bias[32]
        float second[32][16]
        float second_bias[16]
        float heads[16][4]       # score, strength, 0, 0
        float score_bias

ctypedef void (*run_t)(
    const NetWeights *net, const Sparse *own, const Sparse *table, int seats, float *scores, float *strengths
) noexcept nogil

cdef struct Net:
    NetWeights weights
    run_t run
    const GameOps *ops
    const Encoder *encoder

cdef void net_begin(Net *net, const GameOps *ops, const Encoder *encoder, bint narrow) noexcept nogil
cdef bint evaluate(const void *weights, const void *s, double *scores, double *shares) noexcept nogil


cdef class NetMemory:
    """A net in memory, for one game."""
    cdef Net *net
    cdef float *rows
    cdef Value value(self)
    cdef object fill(self, Game game, object arrays)
