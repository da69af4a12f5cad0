# cython: language_level=3
"""Priors for PUCT: normalized weights of the guide."""
from clerestory.engine.core cimport MAX_LEGAL, NATURE, action_t


cdef void set_priors(Search *search, uint32_t first, int n) noexcept nogil:
    """Set the priors of the n listed actions of a new row, unless they are outcomes of a chance event or proven."""
    cdef const action_t *actions = search.tree.actions + first
    cdef float priors[MAX_LEGAL]
    cdef int i, e = 0
    if search.ops.turn(search.world) == NATURE:
        return
    share_out(search, n, priors)
    for i in range(n):
        while actions[e] != search.legal[i]:
            e += 1
        if search.tree.edges[first + e].prior >= 0:
            search.tree.edges[first + e].prior = priors[i]


cdef int first_by_priors(Search *search, int n, float *prior) noexcept nogil:
    """Return which of the n listed actions of a new node to try first, and write its prior."""
    cdef float priors[MAX_LEGAL]
    cdef int i, best = 0
    share_out(search, n, priors)
    if search.options.exploration > 0:
        for i in range(1, n):
            if priors[i] > priors[best]:
                best = i
    prior[0] = priors[best]
    return best


cdef void share_out(Search *search, int n, float *priors) noexcept nogil:
    """Write the priors of the n listed actions."""
    cdef double total = 0, even = search.options.prior_floor / n
    cdef int i
    search.guide.weigh(search.world, search.legal, n, priors)
    if search.priors.factors != NULL:
        apply_factors(search, priors, n)
    for i in range(n):
        total += priors[i]
    for i in range(n):
        priors[i] = <float> (even + (1 - search.options.prior_floor) * priors[i] / total)


cdef void apply_factors(Search *search, float *weights, int n) noexcept nogil:
    """Multiply the weights of the listed actions by the learned factors, which depend only on round and action."""
    cdef int row = min(search.guide.round(search.world), search.priors.rounds) - 1
    cdef const float *factors = search.priors.factors + row * search.ops.num_actions
    cdef int i
    for i in range(n):
        weights[i] *= factors[search.legal[i]]
