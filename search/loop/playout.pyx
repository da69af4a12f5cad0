# cython: language_level=3

from clerestory.engine.core cimport MAX_LEGAL, MAX_SEATS, NATURE, OVER, Value, action_t, margins_of
from clerestory.engine.elementary cimport elementary_exp
from clerestory.engine.rng cimport rng_below, rng_t, rng_unit

cdef inline bint goes_on(int turn, int left) noexcept nogil:
    """Whether the playout continues. At its horizon it stops only at a seat's decision, where a value exists."""
    return turn == NATURE or (turn != OVER and left > 0)


cdef void play_uniformly(Search *search) noexcept nogil:
    """Play on with uniformly random legal actions."""
    play_by(search, any_action)


cdef void play_informed(Search *search) noexcept nogil:
    """Play on with legal actions drawn in proportion to the guide's weights."""
    play_by(search, weighed_action)


cdef inline void play_by(Search *search, action_t (*choose)(Search *search) noexcept nogil) noexcept nogil:
    cdef int turn = search.ops.turn(search.world), left = search.options.horizon
    while goes_on(turn, left):
        search.ops.play(
            search.world, search.ops.draw(search.world, &search.luck.rng) if turn == NATURE else choose(search)
        )
        turn = search.ops.turn(search.world)
        left -= 1
    settle(search, turn)


cdef inline action_t any_action(Search *search) noexcept nogil:
    return search.legal[rng_below(&search.luck.rng, search.ops.legal(search.world, search.legal))]


cdef inline action_t weighed_action(Search *search) noexcept nogil:
    cdef float weights[MAX_LEGAL]
    cdef int n = search.ops.legal(search.world, search.legal)
    if n == 1:
        return search.legal[0]
    search.guide.weigh(search.world, search.legal, n, weights)
    return search.legal[pick(weights, n, &search.luck.rng)]


cdef int pick(const float *weights, int n, rng_t *rng) noexcept nogil:
    """Return an index from 0 to n - 1, drawn in proportion to the weights with one random number."""
    cdef double left = 0
    cdef int i
    for i in range(n):
        left += weights[i]
    left *= rng_unit(rng)
    for i in range(n - 1):
        left -= weights[i]
        if left < 0:
            return i
    return n - 1


cdef inline void settle(Search *search, int turn) noexcept nogil:
    """Set the win shares and margins of the world: by the rules if the game is over, else by the value."""
    cdef double score[MAX_SEATS]
    if turn == OVER:
        search.ops.returns(search.world, search.outcome.win)
        search.ops.scores(search.world, score)
        margins_of(score, search.seats, search.outcome.margin)
    else:
        estimate(search)


cdef void estimate(Search *search) noexcept nogil:
    """Set margins from expected scores, and win shares from the value, or from the margins if it has none."""
    cdef double score[MAX_SEATS]
    cdef const Value *value = &search.value
    cdef bint shared = value.evaluate(value.weights, search.world, score, search.outcome.win)
    margins_of(score, search.seats, search.outcome.margin)
    if not shared:
        guess_shares(search)


cdef void guess_shares(Search *search) noexcept nogil:
    """Set win shares in proportion to exp(expected score / temperature)."""
    cdef double total = 0
    cdef int seat
    for seat in range(search.seats):
        # behind the best; the best itself 1
        search.outcome.win[seat] = elementary_exp(min(search.outcome.margin[seat], 0) / search.options.temperature)
        total += search.outcome.win[seat]
    for seat in range(search.seats):
        search.outcome.win[seat] /= total
