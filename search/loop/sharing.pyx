# cython: language_level=3
"""Updates a tree that several threads search at once, without losing visits.

Selection takes no lock: values it reads may be some nanoseconds old (lock-free search: Enzenberger, Müller 2010,
Advances in Computer Games 12). An edge is locked while outcomes are added to it, so no visit is lost, even if the edge
has moved. A thread adds outcomes to an often visited edge in batches: every write invalidates the cache line of all
other cores, whose next selections wait for it. There is no virtual loss: threads deal different worlds, which separates
their paths.
"""
from libc.stdint cimport uint32_t
from libc.string cimport memset

from clerestory.engine.core cimport action_t
from clerestory.search.loop.search cimport BATCHES, MOST_HELD, Batch, add_outcome, add_to_sums, set_sums
from clerestory.search.memory.room cimport with_record
from clerestory.search.memory.tree cimport (
    MOVED, PROVEN, RECORD, Edge, Record, Tree, peek_count, peek_prior, poke_count, poke_sum, record_of, row_at,
    span_t, sums_in,
)

cdef extern from "sharing.h":
    uint32_t lock_edge(uint32_t *word) noexcept nogil
    void unlock_edge(uint32_t *word, uint32_t value) noexcept nogil
    void let_others() noexcept nogil


cdef enum:
    PART = 4                     # all threads together may hold back one in PART of the visits to an edge


cdef void add_shared_outcome(Search *search, PathStep *step, uint32_t recorded) noexcept nogil:
    """Count a visit to an edge, and add the outcome to its sums, now or with the next few.

    The visit from which on the edge has a record is `recorded`.
    """
    cdef Edge *edge = &search.tree.edges[step.edge]
    cdef uint32_t threads = <uint32_t> search.limits.threads
    cdef uint32_t most = min(peek_count(&edge.visits) // (PART * threads), <uint32_t> MOST_HELD)
    if most > 1 and peek_prior(&edge.prior) >= 0 and peek_count(&edge.state) & RECORD:
        hold_back(search, step, most)
    else:
        add_at_once(search, step, recorded)


cdef void add_at_once(Search *search, PathStep *step, uint32_t recorded) noexcept nogil:
    """Add the outcome while no other thread adds one."""
    cdef uint32_t state = lock_step(search.tree, step)
    cdef Edge *edge = &search.tree.edges[step.edge]
    state = with_record(search.tree, &search.room, edge, state, recorded)
    if edge.prior < 0 and (edge.prior == PROVEN or not search.settled):
        repeat(edge, record_of(search.tree, state), search.seats)
    else:
        add_outcome(search, step, edge, record_of(search.tree, state))
    unlock_edge(&edge.state, state)


cdef void hold_back(Search *search, const PathStep *step, uint32_t most) noexcept nogil:
    """Add the outcome to a batch of at most `most` outcomes."""
    cdef Batch *batch = &search.batches[step.edge % BATCHES]
    if batch.visits and batch.step.edge != step.edge:
        hand_in(search, batch)
    if batch.visits == 0:
        memset(batch, 0, sizeof(Batch))
        batch.step = step[0]
    batch.visits += 1
    batch.win += search.outcome.win[step.seat]
    batch.margin += search.outcome.margin[step.seat]
    add_to_sums(search, step, batch.sums)
    if batch.visits >= most:
        hand_in(search, batch)


cdef void hand_in(Search *search, Batch *batch) noexcept nogil:
    """Add a batch to its edge, which may have been proven meanwhile."""
    cdef uint32_t _once, state = lock_step(search.tree, &batch.step)
    cdef Edge *edge = &search.tree.edges[batch.step.edge]
    cdef Record *record = record_of(search.tree, state)
    if edge.prior < 0:
        for _once in range(batch.visits):
            repeat(edge, record, search.seats)
    else:
        add_batch(edge, record, batch, search.seats)
    unlock_edge(&edge.state, state)
    batch.visits = 0


cdef inline void add_batch(Edge *edge, Record *record, const Batch *batch, int seats) noexcept nogil:
    """Add the sums of a batch."""
    cdef int i
    poke_count(&edge.visits, edge.visits + batch.visits)
    if record == NULL:
        poke_sum(&edge.win, <float> (edge.win + batch.win))
        poke_sum(&edge.margin, <float> (edge.margin + batch.margin))
        return
    set_sums(edge, record, record.win + batch.win, record.margin + batch.margin)
    for i in range(2 * seats + 1):
        sums_in(record)[i] += batch.sums[i]


cdef void hand_in_all(Search *search) noexcept nogil:
    """Add all batches before the thread waits or ends; a thread alone has none."""
    cdef int i
    if not search.shared:
        return
    for i in range(BATCHES):
        if search.batches[i].visits:
            hand_in(search, &search.batches[i])


cdef uint32_t lock_step(const Tree *tree, PathStep *step) noexcept nogil:
    """Lock the edge of a step, even if it has moved; return its state."""
    cdef uint32_t state = lock_edge(&tree.edges[step.edge].state)
    while state & MOVED:
        unlock_edge(&tree.edges[step.edge].state, state)
        find_moved(tree, step)
        state = lock_edge(&tree.edges[step.edge].state)
    return state


cdef void find_moved(const Tree *tree, PathStep *step) noexcept nogil:
    """Find the edge of a step in its node's new row, once that is complete."""
    cdef action_t action = tree.actions[step.edge]
    cdef span_t row = row_at(tree, step.node)
    while row.first == step.first:
        let_others()
        row = row_at(tree, step.node)
    step.first = step.edge = row.first
    step.count = row.count
    while tree.actions[step.edge] != action:
        step.edge += 1


cdef void repeat(Edge *edge, Record *record, int seats) noexcept nogil:
    """Count a visit to a proven edge, whose outcome is known; it may have been proven after it was selected."""
    cdef double visits = edge.visits
    cdef int i
    poke_count(&edge.visits, edge.visits + 1)
    if record == NULL:
        poke_sum(&edge.win, <float> (edge.win + edge.win / visits))
        poke_sum(&edge.margin, <float> (edge.margin + edge.margin / visits))
        return
    set_sums(edge, record, record.win + record.win / visits, record.margin + record.margin / visits)
    visits -= record.before
    if visits == 0:
        record.before += 1
        record.early = record.margin
        return
    for i in range(2 * seats + 1):
        sums_in(record)[i] += sums_in(record)[i] / visits
