# cython: language_level=3
from libc.math cimport exp

from clerestory.engine.core cimport MAX_LEGAL, MAX_SEATS, NATURE, OVER, action_t, margins_of
from clerestory.engine.rng cimport rng_below, rng_t, rng_unit
from clerestory.search.iteration cimport Habit, Step

cdef enum:
    FIRST_TIMES = 4              # how often a habit is thought to have been tried before it was, with a mean reward

cdef double KEENNESS = 0.05      # rewards by which a habit must be better for its odds to grow e-fold


cdef inline bint goes_on(int turn, int left) noexcept nogil:
    """Whether a playout does: the guide values positions in which a seat is to decide."""
    return turn == NATURE or (turn != OVER and left > 0)


cdef void play_uniformly(Search *search) noexcept nogil:
    """Play on, each legal action as likely as the other."""
    cdef int turn = search.ops.turn(search.world), left = search.horizon
    cdef action_t a
    while goes_on(turn, left):
        if turn == NATURE:
            a = search.ops.draw(search.world, &search.rng)
        else:
            a = search.legal[rng_below(&search.rng, search.ops.legal(search.world, search.legal))]
        search.ops.play(search.world, a)
        turn = search.ops.turn(search.world)
        left -= 1
    settle(search, turn)


cdef void play_informed(Search *search) noexcept nogil:
    """Play on, each legal action as likely as the guide weighs it."""
    cdef float weights[MAX_LEGAL]
    cdef int n, turn = search.ops.turn(search.world), left = search.horizon
    cdef action_t a
    while goes_on(turn, left):
        if turn == NATURE:
            a = search.ops.draw(search.world, &search.rng)
        else:
            n = search.ops.legal(search.world, search.legal)
            a = search.legal[0]
            if n > 1:
                search.guide.weigh(search.world, search.legal, n, weights)
                a = search.legal[pick(weights, n, &search.rng)]
        search.ops.play(search.world, a)
        turn = search.ops.turn(search.world)
        left -= 1
    settle(search, turn)


cdef void play_by_habit(Search *search) noexcept nogil:
    """Play on by what came of the actions in the same phase so far, as often as a Gibbs distribution says.

    MAST (Finnsson, Bjornsson 2008, AAAI), kept by phase in the spirit of EPIC (Powley, Cowling, Whitehouse 2014,
    Artificial Intelligence 217).
    """
    cdef float weights[MAX_LEGAL]
    cdef int i, n, phase, length = 0, turn = search.ops.turn(search.world), left = search.horizon
    cdef action_t a
    while goes_on(turn, left):
        if turn == NATURE:
            a = search.ops.draw(search.world, &search.rng)
        else:
            n = search.ops.legal(search.world, search.legal)
            phase = search.guide.phase(search.world) * search.ops.num_actions
            for i in range(n):
                weights[i] = <float> exp(custom(&search.habits[phase + search.legal[i]]) / KEENNESS)
            a = search.legal[pick(weights, n, &search.rng)]
            search.played[length] = Step(phase + a, turn)
            length += 1
        search.ops.play(search.world, a)
        turn = search.ops.turn(search.world)
        left -= 1
    settle(search, turn)
    learn(search, length)


cdef inline double custom(const Habit *habit) noexcept nogil:
    return (habit.reward + 0.5 * FIRST_TIMES) / (habit.times + FIRST_TIMES)


cdef void learn(Search *search, int length) noexcept nogil:
    """Credit what the playout played."""
    cdef Habit *habit
    cdef double reward
    cdef int i, seat
    for i in range(length):
        habit = &search.habits[search.played[i].edge]
        seat = search.played[i].seat
        reward = search.win_weight * search.win[seat]
        reward += search.margin_scale * (search.margin[seat] - search.lowest) if search.margin_scale else 0
        habit.reward += <float> reward
        habit.times += 1


cdef int pick(const float *weights, int n, rng_t *rng) noexcept nogil:
    """Return 0 .. n - 1 with odds in proportion to the weights; one number drawn."""
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
    """Say what the world was worth: by the rules at the end, by the guide before it."""
    cdef double score[MAX_SEATS]
    if turn == OVER:
        search.ops.returns(search.world, search.win)
        search.ops.scores(search.world, score)
        margins_of(score, search.seats, search.margin)
    else:
        foresee(search)


cdef void foresee(Search *search) noexcept nogil:
    """Win shares in proportion to exp(value / temper), and the margins of the values."""
    cdef double value[MAX_SEATS]
    cdef double total = 0
    cdef int seat
    search.guide.value(search.world, value)
    margins_of(value, search.seats, search.margin)
    for seat in range(search.seats):
        search.win[seat] = exp(min(search.margin[seat], 0) / search.temper)  # behind the best; the best itself 1
        total += search.win[seat]
    for seat in range(search.seats):
        search.win[seat] /= total
