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
from clerestory.search.loop.search cimport BATCHES, MOST_HELD, Batch, add_outcome, add_to_record
from clerestory.search.memory.room cimport take_record
from clerestory.search.memory.tree cimport (
    MOVED, PROVEN, Edge, Tree, peek_count, peek_prior, poke_count, poke_sum, read_span, record_at, record_numbers,
    span_t,
)

cdef extern from "sharing.h":
    uint32_t lock_edge(uint32_t *word) noexcept nogil
    void unlock_edge(uint32_t *word, uint32_t value) noexcept nogil
    void let_others() noexcept nogil


cdef enum:
    PART = 4                     # all threads together may hold back one in PART of the visits to an edge


cdef void add_shared_outcome(Search *search, PathStep *step) noexcept nogil:
    """Count a visit to an edge, and add the outcome to its sums, now or with the next few."""
    cdef Edge *edge = &search.tree.edges[step.edge]
    cdef uint32_t threads = <uint32_t> search.limits.threads
    cdef uint32_t most = min(peek_count(&edge.visits) // (PART * threads), <uint32_t> MOST_HELD)
    if most > 1 and peek_prior(&edge.prior) >= 0:
        hold_back(search, step, most)
    else:
        add_at_once(search, step)


cdef void add_at_once(Search *search, PathStep *step) noexcept nogil:
    """Add the outcome while no other thread adds one."""
    cdef uint32_t record = lock_step(search.tree, step)
    cdef Edge *edge = &search.tree.edges[step.edge]
    cdef double *sums
    if record == 0:
        record = take_record(search.tree, &search.room)
    sums = record_at(search.tree, record) if record else NULL
    if edge.prior < 0 and (edge.prior == PROVEN or not search.settled):
        repeat(edge, sums, <int> record_numbers(search.tree))
    else:
        add_outcome(search, step, edge, sums)
    unlock_edge(&edge.record, record)


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
    add_to_record(search, step, batch.record)
    if batch.visits >= most:
        hand_in(search, batch)


cdef void hand_in(Search *search, Batch *batch) noexcept nogil:
    """Add a batch to its edge, which may have been proven meanwhile."""
    cdef uint32_t i, _once, record = lock_step(search.tree, &batch.step)
    cdef Edge *edge = &search.tree.edges[batch.step.edge]
    cdef double *sums = record_at(search.tree, record) if record else NULL
    cdef int numbers = <int> record_numbers(search.tree)
    if edge.prior < 0:
        for _once in range(batch.visits):
            repeat(edge, sums, numbers)
    else:
        poke_count(&edge.visits, edge.visits + batch.visits)
        poke_sum(&edge.win, edge.win + batch.win)
        poke_sum(&edge.margin, edge.margin + batch.margin)
        if sums != NULL:
            for i in range(<uint32_t> numbers):
                sums[i] += batch.record[i]
    unlock_edge(&edge.record, record)
    batch.visits = 0


cdef void hand_in_all(Search *search) noexcept nogil:
    """Add all batches before the thread waits or ends; a thread alone has none."""
    cdef int i
    if not search.shared:
        return
    for i in range(BATCHES):
        if search.batches[i].visits:
            hand_in(search, &search.batches[i])


cdef uint32_t lock_step(const Tree *tree, PathStep *step) noexcept nogil:
    """Lock the edge of a step, even if it has moved; return the place of its record, 0 if it has none yet."""
    cdef uint32_t record = lock_edge(&tree.edges[step.edge].record)
    while record & MOVED:
        unlock_edge(&tree.edges[step.edge].record, record)
        find_moved(tree, step)
        record = lock_edge(&tree.edges[step.edge].record)
    return record


cdef void find_moved(const Tree *tree, PathStep *step) noexcept nogil:
    """Find the edge of a step in its node's new row, once that is complete."""
    cdef action_t action = tree.actions[step.edge]
    cdef span_t row = read_span(&tree.nodes[step.node].first)
    while row.first == step.first:
        let_others()
        row = read_span(&tree.nodes[step.node].first)
    step.first = step.edge = row.first
    step.count = row.count
    while tree.actions[step.edge] != action:
        step.edge += 1


cdef void repeat(Edge *edge, double *sums, int numbers) noexcept nogil:
    """Count a visit to a proven edge, whose outcome is known; it may have been proven after it was selected."""
    cdef double visits = edge.visits
    cdef int i
    poke_sum(&edge.win, edge.win + edge.win / visits)
    poke_sum(&edge.margin, edge.margin + edge.margin / visits)
    poke_count(&edge.visits, edge.visits + 1)
    if sums == NULL:
        return
    for i in range(numbers):
        sums[i] += sums[i] / visits
