# cython: language_level=3
"""Looks up nodes and creates missing ones.

A node is created at its first visit with one edge, the one that this visit takes. Its second visit needs the others
and gives it a whole row. Most nodes are visited once. If seats have hidden cards, a node gets a whole row at once:
otherwise the actions that were legal, and so available, in the first world would be forgotten.

A node belongs to the thread that writes its key first, and is published once its row is complete; threads that arrive
meanwhile end their descent there. A node that meets new actions gets a new row: each edge is locked, copied and marked
as moved, and outcomes on their way to it go to its new place.
"""
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from clerestory.engine.core cimport action_t
from clerestory.engine.rng cimport rng_below
from clerestory.search.loop.priors cimport first_by_priors, set_priors
from clerestory.search.memory.room cimport count_node, free_row, take_row
from clerestory.search.memory.tree cimport (
    LEFT, LINK, MOST_RECORDS, MOVED, NO_NODE, ROW, STUB, WIDENING, Edge, Node, Tree, covers, head_at, key_in, kind_of,
    mark_of, peek_count, peek_key, place_of, read_span, room_of, set_row, span_t, visits_to,
)

cdef extern from "sharing.h":
    void write_span(void *word, span_t span) noexcept nogil
    bint swap_span(void *word, span_t read, span_t wanted) noexcept nogil
    uint64_t claim_key(uint64_t *place, uint64_t key) noexcept nogil
    uint32_t lock_edge(uint32_t *word) noexcept nogil
    void unlock_edge(uint32_t *word, uint32_t value) noexcept nogil


cdef uint32_t lookup_or_make_node(Search *search, uint64_t key, uint64_t parent, int n) noexcept nogil:
    """Return the node of a key with an edge for each of the n listed actions, or with one edge if it is new.

    `parent` is the key of the previous node on the path, 0 at the root. Returns NO_NODE without memory, or if
    another thread is creating the node.
    """
    cdef uint32_t place = place_of(search.tree, key)
    cdef Node *node = &search.tree.nodes[place]
    cdef span_t row
    if peek_key(&node.key) == 0:
        return make_node(search, place, key, parent, n)
    row = read_span(&node.first)
    if row.count == 0:
        return NO_NODE
    if not row.marks & mark_of(parent):
        note_parent(search, node, row, parent)
    return place if covers(search.tree, row, search.legal, n) or widen(search, node, n) else NO_NODE


# -- a new node ------------------------------------------------------------------------------------

cdef uint32_t make_node(Search *search, uint32_t place, uint64_t key, uint64_t parent, int n) noexcept nogil:
    """Create a node at this place or after it; NO_NODE without memory, or if another thread made the node."""
    cdef Tree *tree = search.tree
    cdef uint64_t there
    cdef span_t row
    if not has_place(search):
        return NO_NODE
    row = make_row(search, key, parent, n)
    if row.count == 0:
        return NO_NODE
    there = claim_key(&tree.nodes[place].key, key)
    while there != 0 and there != key:
        place = (place + 1) & tree.mask
        there = claim_key(&tree.nodes[place].key, key)
    if there == key:
        free_row(tree, &search.room, row.first - 1)
        return NO_NODE
    write_span(&tree.nodes[place].first, row)
    count_node(tree, &search.room)
    search.path.fresh = row.count < n
    return place


cdef bint has_place(Search *search) noexcept nogil:
    """Whether the table has room for one more node. It grows between iterations, usually in time.

    A table that has reached its final size needs a sweep; one that only this run has no time to grow does not.
    """
    cdef Tree *tree = search.tree
    cdef uint32_t nodes = peek_count(&tree.num_nodes), places = tree.mask + 1
    if nodes < places / 8 * 5:
        return True
    search.growing |= not (tree.fixed or tree.late)
    if nodes < places / 4 * 3:
        return True
    search.room.short |= tree.fixed
    return False


cdef span_t make_row(Search *search, uint64_t key, uint64_t parent, int n) noexcept nogil:
    """Return a new row, without edges if there is no memory.

    It has all listed actions at the root, or if other worlds may have others; elsewhere only the action taken.
    """
    cdef Tree *tree = search.tree
    cdef bint whole = n == 1 or search.path.length == 0 or not search.root.settled
    cdef int count = n if whole else 1
    cdef uint32_t first = take_row(tree, &search.room, count)
    if first == 0:
        return span_t(0, 0, 0)
    set_head(tree, first, key, parent, ROW if whole else STUB, count)
    memset(&tree.edges[first], 0, count * sizeof(Edge))
    if whole:
        memcpy(&tree.actions[first], search.legal, n * sizeof(action_t))
        if search.options.by_priors:
            set_priors(search, first, n)
    elif search.options.by_priors:
        tree.actions[first] = search.legal[first_by_priors(search, n, &tree.edges[first].prior)]
    else:
        tree.actions[first] = search.legal[rng_below(&search.luck.rng, n)]
    return span_t(first, <uint16_t> count, mark_of(parent))


cdef inline void set_head(
    Tree *tree, uint32_t first, uint64_t key, uint64_t parent, int kind, int count
) noexcept nogil:
    """Fill in the head of a row."""
    memcpy(head_at(tree, first - 1).key, &key, sizeof(key))
    memcpy(head_at(tree, first - 1).parent, &parent, sizeof(parent))
    set_row(tree, first - 1, kind, count)


cdef void note_parent(Search *search, Node *node, span_t row, uint64_t parent) noexcept nogil:
    """Add a link from a new parent, unless another one has the same mark or a thread is changing the node.

    About one link in fifteen is missed because marks collide.
    """
    cdef span_t marked = span_t(row.first, row.count, row.marks | mark_of(parent))
    cdef uint32_t first
    if row.marks & WIDENING or not swap_span(&node.first, row, marked):
        return
    first = take_row(search.tree, &search.room, 0)
    if first:
        set_head(search.tree, first, peek_key(&node.key), parent, LINK, 0)


# -- a wider row -----------------------------------------------------------------------------------

cdef bint widen(Search *search, Node *node, int n) noexcept nogil:
    """Give a node a new row with the listed actions too; False without memory, or if another thread is doing so."""
    cdef Tree *tree = search.tree
    cdef span_t old = read_span(&node.first), row
    if old.marks & WIDENING or not swap_span(&node.first, old, span_t(old.first, old.count, old.marks | WIDENING)):
        return False
    row = span_t(old.first, <uint16_t> count_merged(search, old, n), old.marks)
    row.first = take_row(tree, &search.room, row.count)
    if row.first == 0:
        write_span(&node.first, old)
        return False
    set_head(tree, row.first, peek_key(&node.key), key_in(head_at(tree, old.first - 1).parent), ROW, row.count)
    merge(search, old, row.first, n)
    if search.options.by_priors:
        set_priors(search, row.first, n)
    write_span(&node.first, row)
    leave_row(search, old.first - 1)
    return True


cdef void leave_row(Search *search, uint32_t head) noexcept nogil:
    """Mark a row that its node has left; it becomes free once no other thread can be using it."""
    set_row(search.tree, head, LEFT, room_of(search.tree, head))
    if not search.shared:
        head_at(search.tree, head).next = search.room.left
        search.room.left = head


cdef int count_merged(const Search *search, span_t old, int n) noexcept nogil:
    """Return the number of edges of a row plus those of the listed actions that it lacks."""
    cdef const action_t *actions = search.tree.actions + old.first
    cdef int i = 0, e, more = n
    for e in range(old.count):
        while i < n and search.legal[i] < actions[e]:
            i += 1
        more -= i < n and search.legal[i] == actions[e]
    return old.count + more


cdef void merge(Search *search, span_t old, uint32_t to, int n) noexcept nogil:
    """Move a row's edges to a new row, and add the listed actions that it lacks."""
    cdef Tree *tree = search.tree
    cdef uint32_t edge = old.first, end = old.first + old.count, missed = visits_without(tree, old)
    cdef int i = 0
    while i < n or edge < end:
        if i < n and (edge == end or search.legal[i] < tree.actions[edge]):
            memset(&tree.edges[to], 0, sizeof(Edge))
            tree.edges[to].state = min(missed, <uint32_t> MOST_RECORDS)
            tree.actions[to] = search.legal[i]
            i += 1
        else:
            i += i < n and search.legal[i] == tree.actions[edge]
            tree.actions[to] = tree.actions[edge]
            move_edge(&tree.edges[edge], &tree.edges[to])
            edge += 1
        to += 1


cdef inline uint32_t visits_without(const Tree *tree, span_t old) noexcept nogil:
    """Return the visits in which the actions missing from a row were not legal; the first visit listed them."""
    cdef uint32_t visits = visits_to(tree, old)
    return visits - (visits > 0 and kind_of(tree, old.first - 1) == STUB)


cdef void move_edge(Edge *edge, Edge *to) noexcept nogil:
    """Copy an edge, and mark it as moved."""
    cdef uint32_t state = lock_edge(&edge.state)
    to.win = edge.win
    to.margin = edge.margin
    to.visits = edge.visits
    to.state = state
    to.prior = edge.prior
    unlock_edge(&edge.state, state | MOVED)
