# cython: language_level=3
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

from clerestory.engine.core cimport MAX_LEGAL, NATURE, OVER, action_t
from clerestory.engine.rng cimport rng_seed, rng_t
from clerestory.search.playout cimport pick
from clerestory.search.tree cimport most_visited


cdef enum:
    MOST_DEALS = 1000            # until one of them allows an action that is possible


cdef void look_ahead(
    Search *search, action_t first, int worlds, int64_t plies, uint64_t seed, double *out
) noexcept nogil:
    """Write the search's seat's mean features when the present round is over, then those at the end of the game.

    No world begins once those before it took so many plies. The worlds and their luck follow from the seed alone, so
    that lines compared with one seed differ by less than their luck. The search itself is left as it is.
    """
    cdef uint64_t world[64]
    cdef rng_t rng
    cdef int i, n = search.guide.num_features
    cdef int lived = 0
    memset(out, 0, 2 * n * sizeof(double))
    while lived == 0 or lived < worlds and plies > 0:
        rng_seed(&rng, seed + lived)
        deal_for(search, first, world, &rng)
        search.ops.play(world, first)
        plies -= live_on(search, world, &rng, out)
        lived += 1
    for i in range(2 * n):
        out[i] /= lived


cdef void deal_for(const Search *search, action_t first, void *world, rng_t *rng) noexcept nogil:
    """Deal a world in which the action is legal; of the seat that decides, the observer may not know what it holds."""
    cdef action_t legal[MAX_LEGAL]
    cdef int i, n, _try
    for _try in range(MOST_DEALS):
        memcpy(world, search.root, search.ops.state_size)
        search.ops.deal(world, rng)
        if search.seat == search.observer:
            return
        n = search.ops.legal(world, legal)
        for i in range(n):
            if legal[i] == first:
                return


cdef int live_on(Search *search, void *world, rng_t *rng, double *out) noexcept nogil:
    """Play a world to its end, add the features on the way and there, and return the number of plies."""
    cdef int turn = search.ops.turn(world), n = search.guide.num_features
    cdef int began = search.guide.round(search.root), plies = 0
    cdef bint in_round = True, in_tree = True
    while turn != OVER:
        plies += 1
        if turn == NATURE:
            search.ops.play(world, search.ops.draw(world, rng))
        else:
            search.ops.play(world, next_action(search, world, rng, &in_tree))
        turn = search.ops.turn(world)
        if in_round and search.guide.round(world) != began:
            in_round = False
            add_features(search, world, out)
    if in_round:
        add_features(search, world, out)
    add_features(search, world, out + n)
    return plies


cdef action_t next_action(Search *search, const void *world, rng_t *rng, bint *in_tree) noexcept nogil:
    """The tree's most visited action while the tree knows one, then one by the guide's weights."""
    cdef float weights[MAX_LEGAL]
    cdef action_t legal[MAX_LEGAL]
    cdef int n = search.ops.legal(world, legal), code = -1
    if in_tree[0]:
        code = most_visited(&search.tree, search.ops.key(world, search.observer), legal, n)
        in_tree[0] = code >= 0
    if code >= 0:
        return <action_t> code
    search.guide.weigh(world, legal, n, weights)
    return legal[pick(weights, n, rng)]


cdef void add_features(const Search *search, const void *world, double *out) noexcept nogil:
    cdef double now[MAX_FEATURES]
    cdef int i
    search.guide.feature(world, search.seat, now)
    for i in range(search.guide.num_features):
        out[i] += now[i]
