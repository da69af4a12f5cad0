# cython: language_level=3
"""Looks up nodes and creates missing ones.

A node is created at its first visit with one edge, the one that this visit takes. By PUCT, the untried action with the
highest prior is always the next one to try, so a later visit adds edges, the likeliest first, only when all others were
tried. Most nodes are visited once, and most actions never tried. By UCB1, the second visit needs all edges. If seats
have hidden cards, a node gets a whole row at once: otherwise the actions that were legal, and so available, in the
first world would be forgotten.

A node is published once its row is complete, by the thread that comes first; others that made it meanwhile end their
descent there. A node that meets new actions gets a new row: each edge is locked, copied and marked
as moved, and outcomes on their way to it go to its new place.
"""
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from clerestory.engine.core cimport action_t
from clerestory.engine.rng cimport rng_below
from clerestory.search.loop.priors cimport Listing, first_by_priors, keep_likeliest, list_legal, set_priors
from clerestory.search.memory.room cimport count_node, free_row, take_row
from clerestory.search.memory.tree cimport (
    LEFT, LINK, MOST_RECORDS, MOVED, NO_NODE, PART, ROW, WIDENING, Edge, Tree, covers, head_at, key_at, key_in, kind_of,
    mark_of, node_t, peek_count, place_of, read_node, room_of, row_of, set_row, span_t, tag_of, visits_to,
)

cdef extern from "sharing.h":
    void write_node(node_t *place, node_t node) noexcept nogil
    bint swap_node(node_t *place, node_t read, node_t wanted) noexcept nogil
    uint32_t lock_edge(uint32_t *word) noexcept nogil
    void unlock_edge(uint32_t *word, uint32_t value) noexcept nogil

cdef enum:
    WIDER = 4                    # times as many edges as before, in a new row for more of the likeliest actions


cdef uint32_t lookup_or_make_node(Search *search, uint64_t key, uint64_t parent, int n) noexcept nogil:
    """Return the node of a key with an edge for each of the n listed actions, or at least for the next one to try.

    `parent` is the key of the previous node on the path, 0 at the root. Returns NO_NODE without memory, or if
    another thread is creating the node.
    """
    cdef uint32_t place = place_of(search.tree, key)
    cdef node_t node = read_node(&search.tree.nodes[place])
    if node.first == 0:
        return make_node(search, place, key, parent, n)
    if not node.marks & mark_of(parent):
        note_parent(search, place, node, parent)
    return place if is_wide_enough(search, row_of(search.tree, node), n) or widen(search, place, n) else NO_NODE


cdef inline bint adds_likeliest(const Search *search) noexcept nogil:
    """Whether the node needs no edges for untried actions, except for the likeliest one."""
    cdef bint by_priors = search.options.by_priors and search.options.exploration > 0
    return by_priors and search.root.settled and search.path.length > 0


cdef bint is_wide_enough(const Search *search, span_t row, int n) noexcept nogil:
    """Whether a row has an edge for each of the n listed actions, or one of its edges is the next one to try."""
    cdef const Tree *tree = search.tree
    cdef const action_t *actions = tree.actions + row.first
    cdef int e, i = 0
    if kind_of(tree, row.first - 1) != PART or not adds_likeliest(search):
        return covers(tree, row, search.legal, n)
    for e in range(row.count):
        while i < n and search.legal[i] < actions[e]:
            i += 1
        if i < n and search.legal[i] == actions[e] and peek_count(&tree.edges[row.first + e].visits) == 0:
            return True
    return False


# -- a new node ------------------------------------------------------------------------------------

cdef uint32_t make_node(Search *search, uint32_t place, uint64_t key, uint64_t parent, int n) noexcept nogil:
    """Create a node at this place or after it; NO_NODE without memory, or if another thread made the node."""
    cdef Tree *tree = search.tree
    cdef node_t node
    cdef span_t row
    if not has_place(search):
        return NO_NODE
    row = make_row(search, key, parent, n)
    if row.count == 0:
        return NO_NODE
    node = node_t(row.first, tag_of(key), mark_of(parent))
    while not swap_node(&tree.nodes[place], node_t(0, 0, 0), node):
        place = place_of(tree, key)
        if read_node(&tree.nodes[place]).first:
            free_row(tree, &search.room, row.first - 1)
            return NO_NODE
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
    cdef Listing listing
    cdef uint32_t first = take_row(tree, &search.room, count)
    if first == 0:
        return span_t(0, 0)
    set_head(tree, first, key, parent, ROW if whole else PART, count)
    memset(&tree.edges[first], 0, count * sizeof(Edge))
    if whole:
        memcpy(&tree.actions[first], search.legal, n * sizeof(action_t))
        if search.options.by_priors:
            list_legal(search, n, &listing)
            set_priors(search, first, &listing)
    elif search.options.by_priors:
        tree.actions[first] = search.legal[first_by_priors(search, n, &tree.edges[first].prior)]
    else:
        tree.actions[first] = search.legal[rng_below(&search.luck.rng, n)]
    return span_t(first, count)


cdef inline void set_head(
    Tree *tree, uint32_t first, uint64_t key, uint64_t parent, int kind, int count
) noexcept nogil:
    """Fill in the head of a row."""
    memcpy(head_at(tree, first - 1).key, &key, sizeof(key))
    memcpy(head_at(tree, first - 1).parent, &parent, sizeof(parent))
    set_row(tree, first - 1, kind, count)


cdef void note_parent(Search *search, uint32_t place, node_t node, uint64_t parent) noexcept nogil:
    """Add a link from a new parent, unless another one has the same mark or a thread is changing the node.

    About one link in fifteen is missed because marks collide.
    """
    cdef Tree *tree = search.tree
    cdef node_t marked = node_t(node.first, node.tag, node.marks | mark_of(parent))
    cdef uint32_t first
    if node.marks & WIDENING or not swap_node(&tree.nodes[place], node, marked):
        return
    first = take_row(tree, &search.room, 0)
    if first:
        set_head(tree, first, key_at(tree, node.first), parent, LINK, 0)


# -- a wider row -----------------------------------------------------------------------------------

cdef bint widen(Search *search, uint32_t place, int n) noexcept nogil:
    """Give a node a new row with more of the n listed actions; False without memory, or if another thread is doing so.
    """
    cdef node_t *node = &search.tree.nodes[place]
    cdef node_t old = read_node(node)
    cdef uint32_t first
    if old.marks & WIDENING or not swap_node(node, old, node_t(old.first, old.tag, old.marks | WIDENING)):
        return False
    first = make_wider_row(search, row_of(search.tree, old), n)
    if first == 0:
        write_node(node, old)
        return False
    write_node(node, node_t(first, old.tag, old.marks))
    leave_row(search, old.first - 1)
    return True


cdef uint32_t make_wider_row(Search *search, span_t old, int n) noexcept nogil:
    """Return a new row with the edges of another one of the same node, and more; 0 without memory."""
    cdef Tree *tree = search.tree
    cdef Listing wanted
    cdef uint32_t first
    cdef int count
    list_wanted(search, old, n, &wanted)
    count = count_merged(tree, old, &wanted)
    first = take_row(tree, &search.room, count)
    if first == 0:
        return 0
    set_head(
        tree, first, key_at(tree, old.first), key_in(head_at(tree, old.first - 1).parent),
        PART if wanted.n < n else ROW, count
    )
    merge(tree, old, first, &wanted)
    if search.options.by_priors:
        set_priors(search, first, &wanted)
    return first


cdef void list_wanted(const Search *search, span_t old, int n, Listing *wanted) noexcept nogil:
    """List the actions of a node's next row: the n listed ones, or the likeliest of them."""
    list_legal(search, n, wanted)
    if adds_likeliest(search) and n > WIDER * old.count:
        keep_likeliest(search.tree.actions + old.first, old.count, WIDER * old.count, wanted)


cdef void leave_row(Search *search, uint32_t head) noexcept nogil:
    """Mark a row that its node has left; it becomes free once no other thread can be using it."""
    set_row(search.tree, head, LEFT, room_of(search.tree, head))
    if not search.shared:
        head_at(search.tree, head).next = search.room.left
        search.room.left = head


cdef int count_merged(const Tree *tree, span_t old, const Listing *wanted) noexcept nogil:
    """Return the number of edges of a row plus those of the wanted actions that it lacks."""
    cdef const action_t *actions = tree.actions + old.first
    cdef int i = 0, e, more = wanted.n
    for e in range(old.count):
        while i < wanted.n and wanted.actions[i] < actions[e]:
            i += 1
        more -= i < wanted.n and wanted.actions[i] == actions[e]
    return old.count + more


cdef void merge(Tree *tree, span_t old, uint32_t to, const Listing *wanted) noexcept nogil:
    """Move a row's edges to a new row, and add the wanted actions that it lacks."""
    cdef uint32_t edge = old.first, end = old.first + old.count, missed = visits_without(tree, old)
    cdef int i = 0
    while i < wanted.n or edge < end:
        if i < wanted.n and (edge == end or wanted.actions[i] < tree.actions[edge]):
            memset(&tree.edges[to], 0, sizeof(Edge))
            tree.edges[to].state = min(missed, <uint32_t> MOST_RECORDS)
            tree.actions[to] = wanted.actions[i]
            i += 1
        else:
            i += i < wanted.n and wanted.actions[i] == tree.actions[edge]
            tree.actions[to] = tree.actions[edge]
            move_edge(&tree.edges[edge], &tree.edges[to])
            edge += 1
        to += 1


cdef inline uint32_t visits_without(const Tree *tree, span_t old) noexcept nogil:
    """Return the visits in which the actions missing from a row were not legal; in part of a row, they always were."""
    return 0 if kind_of(tree, old.first - 1) == PART else visits_to(tree, old)


cdef void move_edge(Edge *edge, Edge *to) noexcept nogil:
    """Copy an edge, and mark it as moved."""
    cdef uint32_t state = lock_edge(&edge.state)
    to.win = edge.win
    to.margin = edge.margin
    to.visits = edge.visits
    to.state = state
    to.prior = edge.prior
    unlock_edge(&edge.state, state | MOVED)
