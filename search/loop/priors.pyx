# cython: language_level=3
"""Priors for PUCT: normalized weights of the guide."""
from libc.string cimport memcpy, memset

from clerestory.engine.core cimport NATURE


cdef void list_legal(const Search *search, int n, Listing *listing) noexcept nogil:
    """List the n legal actions, with their priors if they are used."""
    listing.n = n
    memcpy(listing.actions, search.legal, n * sizeof(action_t))
    if search.options.by_priors and search.ops.turn(search.world) != NATURE:
        share_out(search, n, listing.priors)
    else:
        memset(listing.priors, 0, n * sizeof(float))  # of outcomes of a chance event


cdef void keep_likeliest(const action_t *tried, int num_tried, int most, Listing *listing) noexcept nogil:
    """Keep the tried actions, and as many others with the highest priors as make `most` together."""
    cdef bint keep[MAX_LEGAL]
    cdef int i, e = 0, _more, kept = 0
    for i in range(listing.n):
        while e < num_tried and tried[e] < listing.actions[i]:
            e += 1
        keep[i] = e < num_tried and tried[e] == listing.actions[i]
    for _more in range(most - num_tried):
        keep[likeliest(listing, keep)] = True
    for i in range(listing.n):
        if keep[i]:
            listing.actions[kept], listing.priors[kept] = listing.actions[i], listing.priors[i]
            kept += 1
    listing.n = kept


cdef inline int likeliest(const Listing *listing, const bint *kept) noexcept nogil:
    """Return the first of the actions that have the highest prior and are not kept yet."""
    cdef int i, best = 0
    cdef float highest = -1
    for i in range(listing.n):
        if not kept[i] and listing.priors[i] > highest:
            highest = listing.priors[i]
            best = i
    return best


cdef void set_priors(Search *search, uint32_t first, const Listing *listing) noexcept nogil:
    """Set the priors of the listed actions of a new row, unless they are proven."""
    cdef const action_t *actions = search.tree.actions + first
    cdef int i, e = 0
    for i in range(listing.n):
        while actions[e] != listing.actions[i]:
            e += 1
        if search.tree.edges[first + e].prior >= 0:
            search.tree.edges[first + e].prior = listing.priors[i]


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


cdef void share_out(const Search *search, int n, float *priors) noexcept nogil:
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


cdef void apply_factors(const Search *search, float *weights, int n) noexcept nogil:
    """Multiply the weights of the listed actions by the learned factors, which depend only on round and action."""
    cdef int row = min(search.guide.round(search.world), search.priors.rounds) - 1
    cdef const float *factors = search.priors.factors + row * search.ops.num_actions
    cdef int i
    for i in range(n):
        weights[i] *= factors[search.legal[i]]
