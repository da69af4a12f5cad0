# cython: language_level=3
"""Proves outcomes at the end of a game, after MCTS-Solver (Winands, Björnsson, Saito 2008, Computers and Games).

An edge is proven if the game ends right after it. It is also proven if it leads, without a chance event, to a node with
a proven winning edge, or to a node whose edges are all proven. Its sums are then set as if all of its visits had
returned the outcome of best play, and it is not explored further; a negative prior marks it. A mean over everything
that was tried is too pessimistic for the seat that decides below, and corrects itself slowly; a proof is right at once.

If points count once the win is settled, a win alone is half a proof: the edge keeps its negated prior, and is open
again in a node whose win is settled. The margin is proven as well if all edges are proven and none has a better one.
"""
from libc.math cimport fabsf
from libc.stdint cimport uint32_t, uint64_t

from clerestory.engine.core cimport NATURE
from clerestory.search.loop.search cimport PathStep, mean, settled_sum, wins
from clerestory.search.memory.tree cimport MOVED, PROVEN, Edge, peek_prior, poke_prior, poke_sum, record_at

cdef extern from "sharing.h":
    uint32_t lock_edge(uint32_t *word) noexcept nogil
    void unlock_edge(uint32_t *word, uint32_t value) noexcept nogil

cdef enum Proof:                 # of an edge or a node
    NONE
    OF_WIN                       # its share of the win, not its margin; the prior is negated
    WHOLE

cdef float LEAST = -2e-30        # highest prior of an edge with only its win proven

cdef double TIE = 1e-9           # rewards that differ by no more are equal


cdef bint is_open(const Search *search) noexcept nogil:
    """Whether the root, as the observer knows it, shows no seat more than an onlooker sees.

    In a game without hands, hidden cards then only appear in chance events.
    """
    cdef uint64_t known = search.ops.key(search.root.state, NATURE)
    cdef int seat
    for seat in range(search.seats):
        if search.ops.key(search.root.state, seat) != known:
            return False
    return True


cdef void prove(Search *search) noexcept nogil:
    """Prove the edges of a path on which the game has ended, from the last one upwards, as far as possible."""
    cdef int i = search.path.length - 1, proof = WHOLE
    cdef float prior
    while i >= 0 and search.path.steps[i].certain:
        prior = peek_prior(&search.tree.edges[search.path.steps[i].edge].prior)
        if prior >= 0 or search.settled and prior < PROVEN and proof == WHOLE:
            fix_in_turn(search, &search.path.steps[i], proof)
        proof = min(proof, proof_above(search, &search.path.steps[i]))
        if proof == NONE:
            return
        i -= 1


cdef void fix_in_turn(Search *search, const PathStep *step, int proof) noexcept nogil:
    """Fix an edge, unless another thread has moved it since its outcome was added."""
    cdef uint32_t *word = &search.tree.edges[step.edge].record
    cdef uint32_t record
    if not search.shared:
        fix(search, step, word[0], proof)
        return
    record = lock_edge(word)
    if not record & MOVED:
        fix(search, step, record, proof)
    unlock_edge(word, record)


cdef void fix(Search *search, const PathStep *step, uint32_t place, int proof) noexcept nogil:
    """Set the sums of an edge as if every visit had the result of this iteration; margins only if they are proven."""
    cdef Edge *edge = &search.tree.edges[step.edge]
    cdef double *record = record_at(search.tree, place)
    cdef double visits = edge.visits, win
    cdef int seat, seats = search.seats
    poke_prior(&edge.prior, PROVEN if proof == WHOLE else min(-fabsf(edge.prior), LEAST))
    poke_sum(&edge.win, visits * search.outcome.win[step.seat])
    if proof == WHOLE or not search.settled:
        poke_sum(&edge.margin, visits * search.outcome.margin[step.seat])
    if place == 0:
        return
    for seat in range(seats):
        win = search.outcome.win[seat]
        record[seat] = visits * win
        record[seats + seat] = visits * win * win
    if proof == WHOLE or not search.settled:
        record[2 * seats] = visits * search.outcome.margin[step.seat] * search.outcome.margin[step.seat]


cdef int proof_above(const Search *search, const PathStep *step) noexcept nogil:
    """Return what the edge taken proves: the outcome of its node if all are proven and none is better.

    A sure win is a proof on its own, but the row may have another one with more points.
    """
    cdef Edge *row = search.tree.edges + step.first
    cdef Edge taken = at_rest(search, &search.tree.edges[step.edge]), other
    cdef int i, proof = WHOLE, least = OF_WIN if wins(search, &taken) else NONE
    if step.count == 0:
        return least if search.options.settled else WHOLE if least else NONE
    for i in range(step.count):
        other = at_rest(search, &row[i])
        if other.prior >= 0 or mean(search, &other) > mean(search, &taken) + TIE:
            proof = least
            break
        if search.options.settled and (other.prior < PROVEN or is_more(search, &other, &taken)):
            proof = OF_WIN
    return WHOLE if proof and not search.options.settled else proof


cdef inline bint is_more(const Search *search, const Edge *one, const Edge *other) noexcept nogil:
    """Whether a proven edge is better than another once the win is settled."""
    return settled_sum(search, one) / one.visits > settled_sum(search, other) / other.visits + TIE


cdef Edge at_rest(const Search *search, Edge *edge) noexcept nogil:
    """Return an edge's sums while no thread is changing them: a proof from a partial update would stay wrong."""
    cdef uint32_t record = lock_edge(&edge.record) if search.shared else 0
    cdef Edge seen = Edge(edge.win, edge.margin, edge.visits, 0, 0, edge.prior)
    if search.shared:
        unlock_edge(&edge.record, record)
    return seen
