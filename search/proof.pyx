# cython: language_level=3
"""Proves outcomes at the end of a game, after MCTS-Solver (Winands, Björnsson, Saito 2008, Computers and Games).

An edge is proven if the game ends right after it. It is also proven if it leads, without a chance event, to a node with
a proven winning edge, or to a node whose edges are all proven. Its sums are then set as if all of its visits had
returned the outcome of best play, and it is not explored further; a negative prior marks it. A mean over everything
that was tried is too pessimistic for the seat that decides below, and corrects itself slowly; a proof is right at once.
"""
from libc.stdint cimport uint32_t, uint64_t

from clerestory.engine.core cimport NATURE
from clerestory.search.search cimport PathStep, mean, wins
from clerestory.search.tree cimport MOVED, Edge, peek_prior, poke_prior, poke_sum, record_at

cdef extern from "sharing.h":
    uint32_t lock_edge(uint32_t *word) noexcept nogil
    void unlock_edge(uint32_t *word, uint32_t value) noexcept nogil

cdef float PROVEN = -1e-30       # the prior of a proven edge, which is not explored

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
    cdef int i = search.path.length - 1
    while i >= 0 and search.path.steps[i].certain:
        if peek_prior(&search.tree.edges[search.path.steps[i].edge].prior) >= 0:
            fix_in_turn(search, &search.path.steps[i])
        if not is_best(search, &search.path.steps[i]):
            return
        i -= 1


cdef void fix_in_turn(Search *search, const PathStep *step) noexcept nogil:
    """Fix an edge, unless another thread has moved it since its outcome was added."""
    cdef uint32_t *word = &search.tree.edges[step.edge].record
    cdef uint32_t record
    if not search.shared:
        fix(search, step, word[0])
        return
    record = lock_edge(word)
    if not record & MOVED:
        fix(search, step, record)
    unlock_edge(word, record)


cdef void fix(Search *search, const PathStep *step, uint32_t place) noexcept nogil:
    """Set the sums of an edge as if every visit had the result of this iteration."""
    cdef Edge *edge = &search.tree.edges[step.edge]
    cdef double *record = record_at(search.tree, place)
    cdef double visits = edge.visits, win
    cdef int seat, seats = search.seats
    poke_prior(&edge.prior, PROVEN)
    poke_sum(&edge.win, visits * search.outcome.win[step.seat])
    poke_sum(&edge.margin, visits * search.outcome.margin[step.seat])
    if place == 0:
        return
    for seat in range(seats):
        win = search.outcome.win[seat]
        record[seat] = visits * win
        record[seats + seat] = visits * win * win
    record[2 * seats] = visits * search.outcome.margin[step.seat] * search.outcome.margin[step.seat]


cdef bint is_best(const Search *search, const PathStep *step) noexcept nogil:
    """Whether no edge of the row can be better than the one taken: it wins, or all are proven."""
    cdef Edge *row = search.tree.edges + step.first
    cdef Edge taken = at_rest(search, &search.tree.edges[step.edge]), other
    cdef int i
    if wins(search, &taken):
        return True
    if step.count == 0:
        return False
    for i in range(step.count):
        if peek_prior(&row[i].prior) >= 0:
            return False
        other = at_rest(search, &row[i])
        if mean(search, &other) > mean(search, &taken) + TIE:
            return False
    return True


cdef Edge at_rest(const Search *search, Edge *edge) noexcept nogil:
    """Return an edge's sums while no thread is changing them: a proof from a partial update would stay wrong."""
    cdef uint32_t record = lock_edge(&edge.record) if search.shared else 0
    cdef Edge seen = Edge(edge.win, edge.margin, edge.visits, 0, 0, edge.prior)
    if search.shared:
        unlock_edge(&edge.record, record)
    return seen
