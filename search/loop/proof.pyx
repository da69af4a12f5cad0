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
from clerestory.search.loop.search cimport PathStep, mean, set_sums, settled_sum, wins
from clerestory.search.memory.tree cimport (
    MOVED, PROVEN, Edge, Record, peek_prior, poke_prior, poke_sum, record_of, sums_in,
)

cdef extern from "sharing.h":
    uint32_t lock_edge(uint32_t *word) noexcept nogil
    void unlock_edge(uint32_t *word, uint32_t value) noexcept nogil

cdef enum Proof:                 # of an edge or a node
    NONE
    OF_WIN                       # its share of the win, not its margin; the prior is negated
    WHOLE

cdef float LEAST = -2e-30        # highest prior of an edge with only its win proven

cdef double TIE = 1e-6           # rewards that differ by no more are equal; sums are rounded to 24 bits


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
    cdef uint32_t *word = &search.tree.edges[step.edge].state
    cdef uint32_t state
    if not search.shared:
        fix(search, step, record_of(search.tree, word[0]), proof)
        return
    state = lock_edge(word)
    if not state & MOVED:
        fix(search, step, record_of(search.tree, state), proof)
    unlock_edge(word, state)


cdef void fix(Search *search, const PathStep *step, Record *record, int proof) noexcept nogil:
    """Set the sums of an edge as if every visit had the result of this iteration; margins only if they are proven."""
    cdef Edge *edge = &search.tree.edges[step.edge]
    cdef double win = edge.visits * search.outcome.win[step.seat]
    cdef double margin = edge.visits * search.outcome.margin[step.seat]
    cdef bint whole = proof == WHOLE or not search.settled
    poke_prior(&edge.prior, PROVEN if proof == WHOLE else min(-fabsf(edge.prior), LEAST))
    if record != NULL:
        set_sums(edge, record, win, margin if whole else record.margin)
        if whole:
            record.early = record.before * search.outcome.margin[step.seat]
        fix_sums(search, step, sums_in(record), edge.visits - record.before, whole)
        return
    poke_sum(&edge.win, <float> win)
    if whole:
        poke_sum(&edge.margin, <float> margin)


cdef void fix_sums(
    const Search *search, const PathStep *step, double *sums, double visits, bint whole
) noexcept nogil:
    """Set the sums behind a record likewise."""
    cdef double win, margin = search.outcome.margin[step.seat]
    cdef int seat, seats = search.seats
    for seat in range(seats):
        win = search.outcome.win[seat]
        sums[seat] = visits * win
        sums[seats + seat] = visits * win * win
    if whole:
        sums[2 * seats] = visits * margin * margin


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
    cdef uint32_t state = lock_edge(&edge.state) if search.shared else 0
    cdef Edge seen = Edge(edge.win, edge.margin, edge.visits, 0, edge.prior)
    if search.shared:
        unlock_edge(&edge.state, state)
    return seen
