# cython: language_level=3
"""Priors: shares of the guide's weights, which selection by PUCT starts from."""
from clerestory.engine.core cimport MAX_LEGAL, NATURE, action_t


cdef void set_priors(Search *search, uint32_t first, int n) noexcept nogil:
    """Give the n listed actions of a new row their priors, unless they are outcomes of a chance event."""
    cdef const action_t *actions = search.tree.actions + first
    cdef float weights[MAX_LEGAL]
    cdef double total = 0, even = search.options.prior_floor / n
    cdef int i, e = 0
    if search.ops.turn(search.world) == NATURE:
        return
    search.guide.weigh(search.world, search.legal, n, weights)
    if search.options.priors.factors != NULL:
        apply_factors(search, weights, n)
    for i in range(n):
        total += weights[i]
    for i in range(n):
        while actions[e] != search.legal[i]:
            e += 1
        search.tree.edges[first + e].prior = <float> (even + (1 - search.options.prior_floor) * weights[i] / total)


cdef void apply_factors(Search *search, float *weights, int n) noexcept nogil:
    """Multiply the weights of the listed actions by the learned factors, which depend on round and action alone."""
    cdef int row = min(search.guide.round(search.world), search.options.priors.rounds) - 1
    cdef const float *factors = search.options.priors.factors + row * search.ops.num_actions
    cdef int i
    for i in range(n):
        weights[i] *= factors[search.legal[i]]
