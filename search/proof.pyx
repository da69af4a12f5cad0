# cython: language_level=3
"""Proofs at the end of a game, after MCTS-Solver (Winands, Björnsson, Saito 2008, Computers and Games).

An edge is proven if the game ends right after it, or if it leads, without a chance event, to a node that has a proven
edge which certainly wins, or whose edges are all proven. Its sums are then set as if all of its visits had returned the
outcome of best play, and it is not explored any more; a prior below 0 marks it. A mean over everything that was tried
is too pessimistic for the seat that decides below, and corrects itself slowly; a proof is right at once.
"""
from libc.stdint cimport uint64_t

from clerestory.engine.core cimport NATURE
from clerestory.search.search cimport PathStep, mean, wins
from clerestory.search.tree cimport Edge, record_of

cdef float PROVEN = -1e-30       # the prior of such an edge: explores nothing

cdef double TIE = 1e-9           # rewards that differ by no more are equal


cdef bint is_open(const Search *search) noexcept nogil:
    """Whether no seat knows more of the root than an onlooker: hidden cards then only appear in chance events."""
    cdef uint64_t known = search.ops.key(search.root.state, NATURE)
    cdef int seat
    for seat in range(search.seats):
        if search.ops.key(search.root.state, seat) != known:
            return False
    return True


cdef void prove(Search *search) noexcept nogil:
    """Prove the edges of a path on which the game has ended, from the last one up, as far as they can be."""
    cdef int i = search.path.length - 1
    while i >= 0 and search.path.steps[i].certain:
        if search.tree.edges[search.path.steps[i].edge].prior >= 0:
            fix(search, &search.path.steps[i])
        if not is_best(search, &search.path.steps[i]):
            return
        i -= 1


cdef void fix(Search *search, const PathStep *step) noexcept nogil:
    """Set the sums of an edge as if every visit had the result of this iteration."""
    cdef Edge *edge = &search.tree.edges[step.edge]
    cdef double *record = record_of(&search.tree, step.edge)
    cdef double visits = edge.visits, win
    cdef int seat, seats = search.seats
    edge.prior = PROVEN
    edge.win = visits * search.outcome.win[step.seat]
    edge.margin = visits * search.outcome.margin[step.seat]
    for seat in range(seats):
        win = search.outcome.win[seat]
        record[seat] = visits * win
        record[seats + seat] = visits * win * win
    record[2 * seats] = visits * search.outcome.margin[step.seat] * search.outcome.margin[step.seat]


cdef bint is_best(const Search *search, const PathStep *step) noexcept nogil:
    """Whether no edge of the row can be better than the one that was taken: it wins, or all are proven."""
    cdef const Edge *row = search.tree.edges + step.first
    cdef double best = mean(search, &search.tree.edges[step.edge]) + TIE
    cdef int i
    if wins(search, &search.tree.edges[step.edge]):
        return True
    for i in range(step.count):
        if row[i].prior >= 0 or mean(search, &row[i]) > best:
            return False
    return True
