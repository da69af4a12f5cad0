# cython: language_level=3

from clerestory.engine.core cimport MAX_LEGAL, MAX_SEATS, NATURE, OVER, Value, action_t, margins_of
from clerestory.engine.elementary cimport elementary_exp
from clerestory.engine.rng cimport rng_below, rng_t, rng_unit
from clerestory.search.search cimport MastStatistics, MastStep

cdef enum:
    PRIOR_VISITS = 4             # an action starts with this many visits and a mean reward of one half

cdef double MAST_TEMPERATURE = 0.05  # of the Gibbs distribution, in rewards


cdef inline bint goes_on(int turn, int left) noexcept nogil:
    """Whether the playout continues. At its horizon it stops only at a seat's decision, where a value exists."""
    return turn == NATURE or (turn != OVER and left > 0)


cdef inline int advance(Search *search, action_t a) noexcept nogil:
    """Play an action; return whose turn it is then."""
    search.ops.play(search.world, a)
    return search.ops.turn(search.world)


cdef void play_uniformly(Search *search) noexcept nogil:
    """Play on, choosing uniformly among the legal actions."""
    cdef int turn = search.ops.turn(search.world), left = search.options.horizon
    cdef action_t a
    while goes_on(turn, left):
        if turn == NATURE:
            a = search.ops.draw(search.world, &search.luck.rng)
        else:
            a = search.legal[rng_below(&search.luck.rng, search.ops.legal(search.world, search.legal))]
        turn = advance(search, a)
        left -= 1
    settle(search, turn)


cdef void play_informed(Search *search) noexcept nogil:
    """Play on, choosing legal actions in proportion to the guide's weights."""
    cdef float weights[MAX_LEGAL]
    cdef int n, turn = search.ops.turn(search.world), left = search.options.horizon
    cdef action_t a
    while goes_on(turn, left):
        if turn == NATURE:
            a = search.ops.draw(search.world, &search.luck.rng)
        else:
            n = search.ops.legal(search.world, search.legal)
            a = search.legal[0]
            if n > 1:
                search.guide.weigh(search.world, search.legal, n, weights)
                a = search.legal[pick(weights, n, &search.luck.rng)]
        turn = advance(search, a)
        left -= 1
    settle(search, turn)


cdef void play_by_mast(Search *search) noexcept nogil:
    """Play on, choosing by a Gibbs distribution over the mean rewards of the actions in the current phase.

    MAST (Finnsson, Bjornsson 2008, AAAI), with statistics by phase as in EPIC (Powley, Cowling, Whitehouse 2014,
    Artificial Intelligence 217).
    """
    cdef float weights[MAX_LEGAL]
    cdef double mean
    cdef int i, n, phase, length = 0, turn = search.ops.turn(search.world), left = search.options.horizon
    cdef action_t a
    while goes_on(turn, left):
        if turn == NATURE:
            a = search.ops.draw(search.world, &search.luck.rng)
        else:
            n = search.ops.legal(search.world, search.legal)
            phase = search.guide.phase(search.world) * search.ops.num_actions
            for i in range(n):
                mean = mean_reward(&search.mast.actions[phase + search.legal[i]])
                weights[i] = <float> elementary_exp(mean / MAST_TEMPERATURE)
            a = search.legal[pick(weights, n, &search.luck.rng)]
            search.mast.played[length] = MastStep(phase + a, turn)
            length += 1
        turn = advance(search, a)
        left -= 1
    settle(search, turn)
    learn(search, length)


cdef inline double mean_reward(const MastStatistics *action) noexcept nogil:
    return (action.reward + 0.5 * PRIOR_VISITS) / (action.visits + PRIOR_VISITS)


cdef void learn(Search *search, int length) noexcept nogil:
    """Credit the actions of the playout with its rewards."""
    cdef MastStatistics *action
    cdef double reward
    cdef int i, seat
    for i in range(length):
        action = &search.mast.actions[search.mast.played[i].action]
        seat = search.mast.played[i].seat
        reward = search.options.win_weight * search.outcome.win[seat]
        if search.scale.weight:
            reward += search.scale.weight * (search.outcome.margin[seat] - search.scale.lowest)
        action.reward += reward
        action.visits += 1


cdef int pick(const float *weights, int n, rng_t *rng) noexcept nogil:
    """Return an index from 0 to n - 1, drawn in proportion to the weights from one random number."""
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
    """Set margins by the differences of expected scores, and win shares by the value, else by the margins."""
    cdef double score[MAX_SEATS]
    cdef const Value *value = &search.options.value
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
