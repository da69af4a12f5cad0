# cython: language_level=3
"""Loops for benchmarks: random games, random playouts, copies, and a fixed reference."""
from libc.stdint cimport INT64_MAX, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from clerestory.engine.clock cimport monotonic
from clerestory.engine.core cimport MAX_LEGAL, MAX_SEATS, MAX_WORDS, NATURE, OVER, Game, GameOps, State, action_t
from clerestory.engine.integers cimport whole
from clerestory.engine.rng cimport Rng, rng_below, rng_t
from clerestory.engine.values.value cimport Valuation

cdef enum:
    REFERENCE_STEPS = 1 << 21


cdef uint64_t play_out(const GameOps *ops, void *s, rng_t *rng) noexcept nogil:
    """Play at random to the end; return the number of plies."""
    cdef action_t legal[MAX_LEGAL]
    cdef uint64_t plies = 0
    cdef int turn = ops.turn(s)
    while turn != OVER:
        if turn == NATURE:
            ops.play(s, ops.draw(s, rng))
        else:
            ops.play(s, legal[rng_below(rng, ops.legal(s, legal))])
        plies += 1
        turn = ops.turn(s)
    return plies


def random_games(Game game not None, seats, double seconds, seed):
    """Play whole games at random, from setup to end. Return (games, plies, seconds spent)."""
    cdef uint64_t world[MAX_WORDS]
    cdef Rng rng = Rng(seed)
    cdef uint64_t games = 0, plies = 0
    cdef int players = game.new(seats, 0).seats
    cdef double start = monotonic(), end = start + seconds
    with nogil:
        while games == 0 or monotonic() < end:
            game.ops.setup(world, players, &rng.c)
            plies += play_out(game.ops, world, &rng.c)
            games += 1
    return games, plies, monotonic() - start


def random_playouts(State position not None, double seconds, seed):
    """Play one dealt position to the end at random, repeatedly. Return (playouts, plies, seconds spent)."""
    cdef uint64_t world[MAX_WORDS]
    cdef Rng rng = Rng(seed)
    cdef State root = position.determinize(rng)
    cdef const GameOps *ops = root.game.ops
    cdef uint64_t playouts = 0, plies = 0
    cdef double start = monotonic(), end = start + seconds
    with nogil:
        while playouts == 0 or monotonic() < end:
            memcpy(world, root.data, ops.state_size)
            plies += play_out(ops, world, &rng.c)
            playouts += 1
    return playouts, plies, monotonic() - start


def evaluations(Valuation value not None, list positions not None, double seconds):
    """Evaluate positions in turn, repeatedly. Return (evaluations, seconds spent)."""
    cdef int i, size = (<State> positions[0]).game.ops.state_size, count = len(positions)
    cdef bytes memory = b"".join([position.to_bytes() for position in positions])
    cdef const char *first = memory
    cdef double scores[MAX_SEATS]
    cdef double shares[MAX_SEATS]
    cdef uint64_t done = 0
    cdef double start = monotonic(), end = start + seconds
    with nogil:
        while done == 0 or monotonic() < end:
            for i in range(count):
                value.c.evaluate(value.c.weights, first + i * size, scores, shares)
            done += count
    return done, monotonic() - start


def copies(State position not None, count):
    """Copy a position within C, each copy the source of the next. Return the seconds spent."""
    cdef uint64_t ring[8][MAX_WORDS]
    cdef int64_t i, number = whole("count", count, 0, INT64_MAX)
    cdef int size = position.game.ops.state_size
    memcpy(ring[0], position.data, size)
    cdef double start = monotonic()
    with nogil:
        for i in range(number):
            memcpy(ring[(i + 1) & 7], ring[i & 7], size)
            ring[(i + 1) & 7][0] ^= i
    cdef double spent = monotonic() - start
    return spent if ring[number & 7][0] != 1 else 0.0  # uses the copies, so that no compiler removes them


def reference():
    """Return the nanoseconds per step of a fixed loop: integer arithmetic with dependent accesses to little memory."""
    cdef uint8_t table[4096]
    cdef uint64_t x = 88172645463325252
    cdef int i, _step
    for i in range(4096):
        table[i] = <uint8_t> (i * 167 + 13)
    cdef double start = monotonic()
    with nogil:
        for _step in range(REFERENCE_STEPS):
            x ^= x << 13
            x ^= x >> 7
            x ^= x << 17
            table[x & 4095] = <uint8_t> (table[(x >> 12) & 4095] + table[(x >> 24) & 4095])
            x += table[(x >> 36) & 4095]
    cdef double ns = 1e9 * (monotonic() - start) / REFERENCE_STEPS
    return ns if x != 1 else 0  # uses the loop's result, so that no compiler removes it
