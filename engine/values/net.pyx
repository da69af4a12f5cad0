# cython: language_level=3
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memset

from clerestory.engine.core cimport MAX_SEATS, OVER
from clerestory.engine.elementary cimport elementary_exp
from clerestory.engine.encoding cimport MOST_VIEW_WORDS

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
    #define sum_seat_of_8 sum_seat_of_4
    #define run_net_of_8 run_net_of_4
    #define is_wide() 0
    #endif
    """
    void sum_seat_of_4(const NetWeights *net, const Sparse *own, float *sums) noexcept nogil
    void sum_seat_of_8(const NetWeights *net, const Sparse *own, float *sums) noexcept nogil
    void run_net_of_4(
        const NetWeights *net, const float *const *of_seats, const Sparse *table, int seats, float *scores,
        float *strengths
    ) noexcept nogil
    void run_net_of_8(
        const NetWeights *net, const float *const *of_seats, const Sparse *table, int seats, float *scores,
        float *strengths
    ) noexcept nogil
    bint is_wide() noexcept nogil
    int posix_memalign(void **memory, size_t alignment, size_t size) noexcept nogil

cdef extern from *:
    """
    #ifndef __wasm__
    #include <pthread.h>
    #endif
    #include <stdint.h>

    /* Zeroed memory for the views of the calling thread, freed when the thread ends; NULL if there is none. */
    static __thread void *views_of_thread;
    #ifndef __wasm__
    static pthread_key_t views_key;
    static pthread_once_t views_once = PTHREAD_ONCE_INIT;
    static void make_views_key(void) { pthread_key_create(&views_key, free); }
    #endif
    static inline void *aligned(void *memory) { return (void *) (((uintptr_t) memory + 63) / 64 * 64); }
    static void *allocate_views(size_t bytes) {
        void *memory = calloc(1, bytes + 64);
        if (memory == NULL) return NULL;
    #ifndef __wasm__
        pthread_once(&views_once, make_views_key);
        pthread_setspecific(views_key, memory);
    #endif
        return views_of_thread = aligned(memory);
    }
    static inline void *thread_views(size_t bytes) {
        return views_of_thread != NULL ? views_of_thread : allocate_views(bytes);
    }
    """
    void *thread_views(size_t bytes) noexcept nogil
    void *aligned(void *memory) noexcept nogil

cdef enum:
    HIDDEN = 32
    SECOND = 16
    ALIGNMENT = 64
    AFTER_ROWS = HIDDEN + (HIDDEN + 1) * SECOND + 4 * SECOND + 1  # weights from `bias` on
    VIEWS = 1 << 9               # kept for each seat

cdef struct View:                # of a seat, and what its features add to the first layer
    uint64_t number              # of the net; 0: no view is kept here
    uint64_t words[MOST_VIEW_WORDS]
    float sums[2 * HIDDEN]       # aligned to 64 bytes

cdef uint64_t num_nets = 0


cdef void net_begin(Net *net, const GameOps *ops, const Encoder *encoder, bint narrow) noexcept nogil:
    """Clear a net and set everything but its weights."""
    global num_nets
    memset(net, 0, sizeof(Net))
    num_nets += 1
    net.number = num_nets
    net.ops, net.encoder = ops, encoder
    net.sum_seat = sum_seat_of_8 if is_wide() and not narrow else sum_seat_of_4
    net.run = run_net_of_8 if is_wide() and not narrow else run_net_of_4


# -- evaluating a position -------------------------------------------------------------------------

cdef bint evaluate(const void *weights, const void *s, double *scores, double *shares) noexcept nogil:
    """Write expected final scores and win shares; after the end of the game, the actual ones."""
    cdef const Net *net = <const Net *> weights
    cdef const float *of_seats[MAX_SEATS]
    cdef View *views = <View *> thread_views(MAX_SEATS * VIEWS * sizeof(View))
    cdef View spare[MAX_SEATS + 1]
    cdef Sparse table
    cdef uint64_t kept = VIEWS
    cdef float to_come[MAX_SEATS]
    cdef float strengths[MAX_SEATS]
    cdef int seat, seats = (<const unsigned char *> s)[0]
    if net.ops.turn(s) == OVER:
        net.ops.scores(s, scores)
        net.ops.returns(s, shares)
        return True
    if views == NULL:
        memset(spare, 0, sizeof(spare))
        views, kept = <View *> aligned(spare), 1
    table.count = 0
    net.encoder.encode_table(s, &table, scores)
    for seat in range(seats):
        of_seats[seat] = sums_of(net, s, seat, views + seat * kept, kept)
    net.run(&net.weights, of_seats, &table, seats, to_come, strengths)
    for seat in range(seats):
        scores[seat] += to_come[seat]
    share_out(strengths, seats, shares)
    return True


cdef inline const float *sums_of(const Net *net, const void *s, int seat, View *views, uint64_t kept) noexcept nogil:
    """Return what the features of a seat add to the first layer, kept from an earlier evaluation if possible.

    Args:
        views: those kept for this seat.
        kept: their number, a power of two.
    """
    cdef View seen
    cdef View *view
    cdef int words = net.encoder.view_words
    net.encoder.view(s, seat, seen.words)
    view = &views[hashed(seen.words, words) & kept - 1]
    if view.number != net.number or memcmp(view.words, seen.words, words * sizeof(uint64_t)):
        view.number = net.number
        memcpy(view.words, seen.words, words * sizeof(uint64_t))
        sum_view(net, view, seat)
    return view.sums


cdef void sum_view(const Net *net, View *view, int seat) noexcept nogil:
    cdef Sparse own
    own.count = 0
    net.encoder.encode_seat(view.words, seat, &own)
    net.sum_seat(&net.weights, &own, view.sums)


cdef inline uint64_t hashed(const uint64_t *words, int count) noexcept nogil:
    """Return a hash with good low bits."""
    cdef uint64_t sum_ = 0, factor = 0x9E3779B97F4A7C15
    cdef int i
    for i in range(count):
        sum_ += (words[i] ^ words[i] >> 32) * factor
        factor *= <uint64_t> 0xD1342543DE82EF95
    return sum_ >> 40


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
