# cython: language_level=3
"""A tree that several threads search at once.

Selection takes no lock: what it reads may be some nanoseconds old (lock-free search: Enzenberger, Müller 2010, Advances
in Computer Games 12). A node is entered by whoever writes its key first, and published once its row is complete; others
who come meanwhile end their descent there. An edge is locked while an outcome is added to it, so no visit is lost. A
node that meets new actions gets a new row: each edge is locked, copied, and marked as moved, and outcomes on the way to
it go to its new place. There is no virtual loss: threads deal different worlds, which part them.
"""
from libc.stdint cimport uint16_t
from libc.string cimport memcpy, memset

from clerestory.engine.core cimport action_t
from clerestory.search.priors cimport set_priors
from clerestory.search.search cimport Records, add_outcome
from clerestory.search.tree cimport (
    LINK, MOVED, NO_NODE, WIDENING, Edge, Node, Row, Tree, covers, mark_of, peek_count, peek_key, poke_count, poke_sum,
    read_span, record_numbers, span_t, visits_to,
)

cdef extern from "sharing.h":
    void write_span(void *word, span_t span) noexcept nogil
    bint swap_span(void *word, span_t read, span_t wanted) noexcept nogil
    uint64_t claim_key(uint64_t *place, uint64_t key) noexcept nogil
    uint32_t next_count(uint32_t *counter, uint32_t n) noexcept nogil
    bint take_both(
        uint32_t *pair, uint32_t a, uint32_t most_a, uint32_t b, uint32_t most_b, uint32_t *was
    ) noexcept nogil
    void write_flag(int *flag, int value) noexcept nogil
    uint32_t lock_edge(uint32_t *word) noexcept nogil
    void unlock_edge(uint32_t *word, uint32_t value) noexcept nogil
    void let_others() noexcept nogil

cdef extern from *:
    """
    #define prefetch(p) __builtin_prefetch((p), 1)
    """
    void prefetch(const void *p) noexcept nogil

cdef enum:
    FEW_RECORDS = 16             # taken at once


# -- entering a node -------------------------------------------------------------------------------

cdef uint32_t enter_shared(Search *search, uint64_t key, uint64_t parent, int n) noexcept nogil:
    """Return the node of a key with an edge for each of the n listed actions.

    NO_NODE if there is no memory for that, or if another thread is just making it.
    """
    cdef bint claimed = False
    cdef uint32_t place = find_or_claim(search.tree, key, n, &claimed)
    cdef span_t row
    if place == NO_NODE:
        return NO_NODE
    if claimed:
        return place if publish(search, place, parent, n) else NO_NODE
    row = read_span(&search.tree.nodes[place].first)
    if row.count == 0:
        return NO_NODE
    if not row.marks & mark_of(parent):
        note_parent(search.tree, &search.tree.nodes[place], row, parent)
    return place if covers(search.tree, row, search.legal, n) or widen(search, place, parent, n) else NO_NODE


cdef uint32_t find_or_claim(Tree *tree, uint64_t key, int n, bint *claimed) noexcept nogil:
    """Return the place of a key, written by this call if it was not there; NO_NODE if there is no memory for it."""
    cdef uint32_t place = <uint32_t> key & tree.mask
    cdef uint64_t there
    while True:
        there = peek_key(&tree.nodes[place].key)
        if there == 0:
            if not has_room(tree, n):
                return NO_NODE
            there = claim_key(&tree.nodes[place].key, key)
            claimed[0] = there == 0
        if there == key or claimed[0]:
            return place
        place = (place + 1) & tree.mask


cdef bint has_room(Tree *tree, int n) noexcept nogil:
    """Whether there is memory for one more node with n edges, and a place in the table.

    The table is grown once all threads have ended their iterations; until then it may become almost full.
    """
    cdef uint32_t nodes = peek_count(&tree.num_nodes)
    if nodes >= tree.mask - tree.mask / 8:
        return False
    if nodes < tree.max_nodes and peek_count(&tree.num_rows) < tree.max_rows:
        if peek_count(&tree.num_edges) + n <= tree.max_edges:
            return True
    write_flag(&tree.full, True)
    return False


cdef bint publish(Search *search, uint32_t place, uint64_t parent, int n) noexcept nogil:
    """Give a node that this thread has claimed its row, and show it to the others. False without memory."""
    cdef Tree *tree = search.tree
    cdef uint32_t first = take_row(tree, peek_key(&tree.nodes[place].key), parent, n)
    cdef uint32_t nodes
    if first == LINK:
        return False
    memset(&tree.edges[first], 0, n * sizeof(Edge))
    memcpy(&tree.actions[first], search.legal, n * sizeof(action_t))
    if search.options.by_priors:
        set_priors(search, first, n)
    write_span(&tree.nodes[place].first, span_t(first, <uint16_t> n, mark_of(parent)))
    nodes = 1 + next_count(&tree.num_nodes, 1)
    if nodes > tree.mask / 2 and tree.mask + 1 < tree.max_places:
        search.growing = True
    return True


cdef uint32_t take_row(Tree *tree, uint64_t key, uint64_t parent, int n) noexcept nogil:
    """Take the memory of a row of n edges; return its first edge, LINK without memory."""
    cdef uint32_t was[2]
    if not take_both(&tree.num_edges, n, tree.max_edges, 1, tree.max_rows, was):
        write_flag(&tree.full, True)
        return LINK
    tree.rows[was[1]] = Row(key, parent, was[0], 0)
    return was[0]


cdef void note_parent(Tree *tree, Node *node, span_t row, uint64_t parent) noexcept nogil:
    """Add a link from a new parent, unless another thread changes the node just now."""
    cdef span_t marked = span_t(row.first, row.count, row.marks | mark_of(parent))
    cdef uint32_t was[2]
    if row.marks & WIDENING or not swap_span(&node.first, row, marked):
        return
    if take_both(&tree.num_edges, 0, tree.max_edges, 1, tree.max_rows, was):
        tree.rows[was[1]] = Row(peek_key(&node.key), parent, LINK, 0)


# -- a wider row -----------------------------------------------------------------------------------

cdef bint widen(Search *search, uint32_t place, uint64_t parent, int n) noexcept nogil:
    """Give a node a new row with the listed actions as well. False without memory, or if another thread does so."""
    cdef Tree *tree = search.tree
    cdef Node *node = &tree.nodes[place]
    cdef span_t old = read_span(&node.first)
    cdef uint32_t first
    cdef int merged = count_merged(search, old, n)
    if old.marks & WIDENING or not swap_span(&node.first, old, span_t(old.first, old.count, old.marks | WIDENING)):
        return False
    first = take_row(tree, peek_key(&node.key), parent, merged)
    if first != LINK:
        merge(search, old, first, n)
        if search.options.by_priors:
            set_priors(search, first, n)
        old.first = first
        old.count = <uint16_t> merged
    write_span(&node.first, old)
    return first != LINK


cdef int count_merged(const Search *search, span_t old, int n) noexcept nogil:
    """Return the number of edges of a row together with those of the listed actions that it lacks."""
    cdef const action_t *actions = search.tree.actions + old.first
    cdef int i = 0, e, more = n
    for e in range(old.count):
        while i < n and search.legal[i] < actions[e]:
            i += 1
        more -= i < n and search.legal[i] == actions[e]
    return old.count + more


cdef void merge(Search *search, span_t old, uint32_t to, int n) noexcept nogil:
    """Move a row's edges to a new row, and add those of the listed actions that it lacks."""
    cdef Tree *tree = search.tree
    cdef uint32_t edge = old.first, end = old.first + old.count, visits = visits_to(tree, old)
    cdef int i = 0
    while i < n or edge < end:
        if i < n and (edge == end or search.legal[i] < tree.actions[edge]):
            memset(&tree.edges[to], 0, sizeof(Edge))
            tree.edges[to].missing = visits
            tree.actions[to] = search.legal[i]
            i += 1
        else:
            i += i < n and search.legal[i] == tree.actions[edge]
            tree.actions[to] = tree.actions[edge]
            move_edge(&tree.edges[edge], &tree.edges[to])
            edge += 1
        to += 1


cdef void move_edge(Edge *edge, Edge *to) noexcept nogil:
    """Copy an edge, and mark it as moved."""
    cdef uint32_t record = lock_edge(&edge.record)
    to.win = edge.win
    to.margin = edge.margin
    to.visits = edge.visits
    to.missing = peek_count(&edge.missing)
    to.record = record
    to.prior = edge.prior
    unlock_edge(&edge.record, record | MOVED)


# -- outcomes --------------------------------------------------------------------------------------

cdef inline double *record_at(const Tree *tree, uint32_t place) noexcept nogil:
    return tree.records + place * record_numbers(tree)


cdef void prefetch_shared(const Search *search, uint32_t edge) noexcept nogil:
    """Prefetch what an outcome will be added to."""
    cdef uint32_t record = peek_count(&search.tree.edges[edge].record) & (MOVED - 1)
    if record:
        prefetch(record_at(search.tree, record))


cdef void add_shared_outcome(Search *search, PathStep *step) noexcept nogil:
    """Count a visit to an edge, and add the outcome to its sums, while no other thread does."""
    cdef uint32_t record = lock_step(search.tree, step)
    cdef Edge *edge = &search.tree.edges[step.edge]
    cdef double *sums
    if record == 0:
        record = take_record(search)
    sums = record_at(search.tree, record)
    if edge.prior < 0:
        repeat(edge, sums, <int> record_numbers(search.tree))
    else:
        add_outcome(search, step, edge, sums)
    unlock_edge(&edge.record, record)


cdef uint32_t lock_step(const Tree *tree, PathStep *step) noexcept nogil:
    """Lock the edge of a step, wherever it is by now; return the place of its record, 0 if it has none yet."""
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


cdef uint32_t take_record(Search *search) noexcept nogil:
    """Return the place of a new record."""
    cdef Records *own = &search.records
    if own.next == own.end or own.cleared != search.tree.cleared:
        own.next = next_count(&search.tree.num_records, FEW_RECORDS)
        own.end = own.next + FEW_RECORDS
        own.cleared = search.tree.cleared
    own.next += 1
    memset(record_at(search.tree, own.next - 1), 0, record_numbers(search.tree) * sizeof(double))
    return own.next - 1


cdef void repeat(Edge *edge, double *sums, int numbers) noexcept nogil:
    """Count a visit to a proven edge, whose outcome is known: it may have been proven after it was chosen."""
    cdef double visits = edge.visits
    cdef int i
    poke_sum(&edge.win, edge.win + edge.win / visits)
    poke_sum(&edge.margin, edge.margin + edge.margin / visits)
    for i in range(numbers):
        sums[i] += sums[i] / visits
    poke_count(&edge.visits, edge.visits + 1)
