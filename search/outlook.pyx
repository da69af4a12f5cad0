# cython: language_level=3
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

from clerestory.engine.core cimport MAX_FEATURES, MAX_LEGAL, MAX_WORDS, NATURE, OVER, action_t
from clerestory.engine.rng cimport rng_seed, rng_t
from clerestory.search.loop.playout cimport pick
from clerestory.search.memory.tree cimport most_visited

cdef struct World:                # a determinization being played
    uint64_t state[MAX_WORDS]
    rng_t luck                    # random numbers of chance events
    rng_t choice                  # random numbers of the seats' choices
    uint64_t seed                 # seed of both
    int round                     # round of the current random numbers
    bint in_tree                  # whether the position is still in the tree

cdef enum:
    MOST_DEALS = 1000             # attempts to deal a world in which the action is legal
    OF_ROUND = 0x9E3779B9         # between the seeds of two rounds
    OF_CHOICE = 0x85EBCA6B        # between the seeds of luck and choice


cdef int look_ahead(
    Search *search, const action_t *firsts, int lines, int worlds, int64_t plies, uint64_t seed, OutlookSums *out
) noexcept nogil:
    """Add up the features of the search's seat at the end of the round and of the game, line by line.

    Every world is played once per line, with the same cards and the same random numbers for chance events and for
    choices, restarted in every round. Differences between lines are then due to the lines and not to luck (common
    random numbers; Law 2015, Simulation Modeling and Analysis, 11.2). No new world begins once earlier ones have used
    the plies allowed per line. The worlds depend on the seed alone. The search is not changed. Returns the number of
    worlds, at least 1.
    """
    cdef double first[2 * MAX_FEATURES]
    cdef double other[2 * MAX_FEATURES]
    cdef int i, lived = 0, n = 2 * search.guide.num_features
    plies *= lines
    memset(out, 0, lines * sizeof(OutlookSums))
    while lived == 0 or lived < worlds and plies > 0:
        plies -= live(search, firsts[0], seed + lived, first)
        add(&out[0], first, first, n)
        for i in range(1, lines):
            plies -= live(search, firsts[i], seed + lived, other)
            add(&out[i], first, other, n)
        lived += 1
    return lived


cdef void deal_for(const Search *search, action_t first, void *world, rng_t *rng) noexcept nogil:
    """Deal a world in which the action is legal; the observer may not know the deciding seat's hand."""
    cdef action_t legal[MAX_LEGAL]
    cdef int i, n, _try
    for _try in range(MOST_DEALS):
        memcpy(world, search.root.state, search.ops.state_size)
        search.ops.deal(world, rng)
        if search.root.seat == search.root.observer:
            return
        n = search.ops.legal(world, legal)
        for i in range(n):
            if legal[i] == first:
                return


cdef void add(OutlookSums *line, const double *first, const double *own, int n) noexcept nogil:
    cdef double gain
    cdef int i
    for i in range(n):
        gain = first[i] - own[i]
        line.total[i] += own[i]
        line.gain[i] += gain
        line.gain_squares[i] += gain * gain


cdef int live(Search *search, action_t first, uint64_t seed, double *out) noexcept nogil:
    """Play the world of a seed to its end and write its features; return the number of plies."""
    cdef World world
    world.in_tree = True
    world.seed = seed
    begin_round(&world, search.guide.round(search.root.state))
    deal_for(search, first, world.state, &world.luck)
    search.ops.play(world.state, first)
    return live_on(search, &world, out)


cdef void begin_round(World *world, int round_) noexcept nogil:
    """Restart the random numbers, so that lines with different numbers of decisions share their luck again."""
    world.round = round_
    rng_seed(&world.luck, world.seed + <uint64_t> round_ * OF_ROUND)
    rng_seed(&world.choice, world.seed + <uint64_t> round_ * OF_ROUND + OF_CHOICE)


cdef int live_on(Search *search, World *world, double *out) noexcept nogil:
    cdef int turn = search.ops.turn(world.state), n = search.guide.num_features
    cdef int round_, began = world.round, seat = search.root.seat, plies = 0
    while turn != OVER:
        plies += 1
        if turn == NATURE:
            search.ops.play(world.state, search.ops.draw(world.state, &world.luck))
        else:
            search.ops.play(world.state, next_action(search, world))
        turn = search.ops.turn(world.state)
        round_ = search.guide.round(world.state)
        if round_ != world.round:
            if world.round == began:
                search.guide.feature(world.state, seat, out)
            begin_round(world, round_)
    search.guide.feature(world.state, seat, out + n)
    if world.round == began:
        memcpy(out, out + n, n * sizeof(double))
    return plies


cdef action_t next_action(Search *search, World *world) noexcept nogil:
    """Return the most visited action while the position is in the tree, then one drawn by the guide's weights."""
    cdef float weights[MAX_LEGAL]
    cdef action_t legal[MAX_LEGAL]
    cdef int n = search.ops.legal(world.state, legal), code = -1
    if world.in_tree:
        code = most_visited(search.tree, search.ops.key(world.state, search.root.observer), legal, n)
        world.in_tree = code >= 0
    if code >= 0:
        return <action_t> code
    search.guide.weigh(world.state, legal, n, weights)
    return legal[pick(weights, n, &world.choice)]
