/* How threads share a tree: words read without a lock, edges locked for an update, and a gate that stops them all. */
#ifndef CLERESTORY_SHARING_H
#define CLERESTORY_SHARING_H

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

/* -- words that others may be writing -------------------------------------------------------------------------------
   Each is read and written as a whole, in any order. GCC passes atomic doubles through integer registers, so they are
   volatile instead, which is the same instruction without the detour, except where ThreadSanitizer watches. */

#ifdef __SANITIZE_THREAD__
#define WORD(type, name)                                                                                               \
    static inline type peek_##name(const type *p) {                                                                    \
        type value;                                                                                                    \
        __atomic_load(p, &value, __ATOMIC_RELAXED);                                                                    \
        return value;                                                                                                  \
    }                                                                                                                  \
    static inline void poke_##name(type *p, type value) { __atomic_store(p, &value, __ATOMIC_RELAXED); }
#else
#define WORD(type, name)                                                                                               \
    static inline type peek_##name(const type *p) { return *(const volatile type *) p; }                               \
    static inline void poke_##name(type *p, type value) { *(volatile type *) p = value; }
#endif

WORD(float, sum)
WORD(float, prior)
WORD(uint32_t, count)
WORD(uint16_t, action)

/* -- nodes: where a node's edges are, in one word -------------------------------------------------------------------- */

typedef struct {
    uint32_t first; /* edge of its row; 0: this place in the table is free */
    uint16_t tag;   /* of its key */
    uint16_t marks; /* one for each parent that has a row, by its key; several may share one */
} node_t;

static inline node_t read_node(const node_t *place) {
    uint64_t bits = __atomic_load_n((const uint64_t *) place, __ATOMIC_ACQUIRE);
    node_t node;
    memcpy(&node, &bits, sizeof(node));
    return node;
}

static inline void write_node(node_t *place, node_t node) {
    uint64_t bits;
    memcpy(&bits, &node, sizeof(bits));
    __atomic_store_n((uint64_t *) place, bits, __ATOMIC_RELEASE);
}

/* Replace a node if it is still as it was read. */
static inline int swap_node(node_t *place, node_t read, node_t wanted) {
    uint64_t before, after;
    memcpy(&before, &read, sizeof(before));
    memcpy(&after, &wanted, sizeof(after));
    return __atomic_compare_exchange_n((uint64_t *) place, &before, after, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* -- counters ------------------------------------------------------------------------------------------------------- */

/* Return the previous value. */
static inline uint32_t add_count(uint32_t *counter, uint32_t n) {
    return __atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

/* Add to two counters of memory units, unless a count or the total bytes would exceed its limit; write the previous
   counts. */
static inline int take_bytes(uint32_t *pair, uint32_t a, uint32_t b, uint32_t most_a, uint32_t most_b, uint64_t bytes_a,
                             uint64_t bytes_b, uint64_t most, uint32_t *was) {
    uint64_t read = __atomic_load_n((uint64_t *) pair, __ATOMIC_RELAXED), wanted;
    uint32_t next[2];
    do {
        memcpy(was, &read, sizeof(read));
        next[0] = was[0] + a;
        next[1] = was[1] + b;
        if (next[0] > most_a || next[1] > most_b || next[0] * bytes_a + next[1] * bytes_b > most) return 0;
        memcpy(&wanted, next, sizeof(wanted));
    } while (!__atomic_compare_exchange_n((uint64_t *) pair, &read, wanted, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return 1;
}

/* -- iterations that are left ------------------------------------------------------------------------------------------ */

#define ANY_NUMBER (1ull << 62) /* no limit: more than any search makes */

/* Claim up to `most` of the remaining iterations; return the number claimed. */
static inline uint64_t draw_from(uint64_t *left, uint64_t most) {
    uint64_t read = __atomic_load_n(left, __ATOMIC_RELAXED), taken;
    do {
        taken = read < most ? read : most;
    } while (!__atomic_compare_exchange_n(left, &read, read - taken, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return taken;
}

static inline void put_into(uint64_t *left, uint64_t n) { __atomic_fetch_add(left, n, __ATOMIC_RELAXED); }
static inline uint64_t read_left(const uint64_t *left) { return __atomic_load_n(left, __ATOMIC_RELAXED); }
static inline void write_left(uint64_t *left, uint64_t n) { __atomic_store_n(left, n, __ATOMIC_RELAXED); }
static inline int is_counted(const uint64_t *left) { return read_left(left) < ANY_NUMBER / 2; }

/* -- flags ------------------------------------------------------------------------------------------------------------- */

static inline int read_flag(const int *flag) { return __atomic_load_n(flag, __ATOMIC_RELAXED); }
static inline void write_flag(int *flag, int value) { __atomic_store_n(flag, value, __ATOMIC_RELAXED); }

/* -- locks of edges: the highest bit of a word, held for some nanoseconds --------------------------------------------- */

#define EDGE_LOCKED 0x80000000u
#define TRIES 1000 /* before yielding the processor: the holder of the lock may be waiting for it */

#if defined(__x86_64__)
#define rest() __builtin_ia32_pause()
#else
#define rest() ((void) 0)
#endif

static inline uint32_t lock_edge(uint32_t *word) {
    for (int tries = 1;; tries++) {
        uint32_t read = __atomic_load_n(word, __ATOMIC_RELAXED);
        if (!(read & EDGE_LOCKED)
            && __atomic_compare_exchange_n(word, &read, read | EDGE_LOCKED, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return read;
        if (tries % TRIES == 0) sched_yield();
        rest();
    }
}

static inline uint32_t read_state(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static inline void let_others(void) { sched_yield(); }

static inline void unlock_edge(uint32_t *word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

/* -- the gate: threads inside search the tree -------------------------------------------------------------------------
   A thread alone inside needs no locks. It is notified when another one arrives. A thread that has to move the whole
   tree closes the gate: all others wait between two iterations. */

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int inside;  /* number of threads, including those that wait while it is closed */
    int waiting; /* number of those that wait */
    int alone;   /* whether the only thread inside takes no locks */
    int closed;
    int comes;   /* atomic: threads inside have to call gate_pass */
} gate_t;

static void gate_open(gate_t *gate) {
    memset(gate, 0, sizeof(*gate));
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->changed, NULL);
}

static void gate_close(gate_t *gate) {
    pthread_cond_destroy(&gate->changed);
    pthread_mutex_destroy(&gate->lock);
}

/* Enter; return whether others are inside too. */
static int gate_enter(gate_t *gate) {
    pthread_mutex_lock(&gate->lock);
    while (gate->closed || gate->alone) {
        write_flag(&gate->comes, 1);
        pthread_cond_wait(&gate->changed, &gate->lock);
    }
    gate->inside++;
    gate->alone = gate->inside == 1;
    int shared = !gate->alone;
    pthread_mutex_unlock(&gate->lock);
    return shared;
}

static void gate_leave(gate_t *gate) {
    pthread_mutex_lock(&gate->lock);
    gate->inside--;
    gate->alone = 0;
    if (!gate->closed) write_flag(&gate->comes, 0);
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

/* Let others in, or wait until the gate is open again; called between two iterations if `comes` is set. */
static void gate_pass(gate_t *gate) {
    pthread_mutex_lock(&gate->lock);
    gate->alone = 0;
    gate->waiting++;
    pthread_cond_broadcast(&gate->changed);
    while (gate->closed) pthread_cond_wait(&gate->changed, &gate->lock);
    gate->waiting--;
    write_flag(&gate->comes, 0);
    pthread_mutex_unlock(&gate->lock);
}

/* Wait until all others inside wait, and hold the tree until `gate_release`. */
static void gate_hold(gate_t *gate) {
    pthread_mutex_lock(&gate->lock);
    gate->waiting++;
    pthread_cond_broadcast(&gate->changed);
    while (gate->closed) pthread_cond_wait(&gate->changed, &gate->lock);
    gate->closed = 1;
    write_flag(&gate->comes, 1);
    while (gate->waiting < gate->inside) pthread_cond_wait(&gate->changed, &gate->lock);
}

static void gate_release(gate_t *gate) {
    gate->closed = 0;
    gate->waiting--;
    write_flag(&gate->comes, 0);
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

#endif
