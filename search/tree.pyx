# cython: language_level=3
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from clerestory.engine.core cimport action_t
from clerestory.search.pages cimport give_back, release, reserve, take

cdef enum:
    EDGES_A_NODE = 6   # on average, by which the memory is divided
    PLACES_A_NODE = 3  # of the largest table, rounding to a power of two included
    ROWS_A_NODE = 2
    FIRST_PLACES = 1024
    EDGE_BYTES = sizeof(Edge) + sizeof(action_t)
    SPARE_RECORDS = 1 << 12  # that threads take without using them


cdef uint64_t record_numbers(const Tree *tree) noexcept nogil:
    return 2 * tree.seats + 1


cdef inline uint64_t record_bytes(const Tree *tree) noexcept nogil:
    return record_numbers(tree) * sizeof(double)


cdef inline uint64_t most_records(const Tree *tree) noexcept nogil:
    return tree.max_edges + 1 + SPARE_RECORDS


cdef bint tree_open(Tree *tree, uint64_t max_bytes, int seats) noexcept:
    """Reserve the memory, at most max_bytes; pages are touched as the tree grows. False if there is none."""
    memset(tree, 0, sizeof(Tree))
    tree.seats = seats
    cdef uint64_t edge_bytes = EDGE_BYTES + record_bytes(tree)
    cdef uint64_t node_bytes = PLACES_A_NODE * sizeof(Node) + ROWS_A_NODE * sizeof(Row)
    node_bytes += EDGES_A_NODE * edge_bytes
    tree.max_nodes = <uint32_t> min(max_bytes // node_bytes, <uint64_t> MOST_RECORDS // EDGES_A_NODE - SPARE_RECORDS)
    tree.max_edges = tree.max_nodes * EDGES_A_NODE
    tree.max_rows = tree.max_nodes * ROWS_A_NODE
    tree.max_places = 16
    while 2 * tree.max_places <= PLACES_A_NODE * tree.max_nodes:
        tree.max_places *= 2
    tree.mask = min(tree.max_places, <uint32_t> FIRST_PLACES) - 1
    tree.nodes = <Node *> reserve((tree.mask + 1) * sizeof(Node))
    tree.rows = <Row *> take(tree.max_rows * sizeof(Row))
    tree.edges = <Edge *> take(tree.max_edges * sizeof(Edge))
    tree.actions = <action_t *> take(tree.max_edges * sizeof(action_t))
    tree.num_records = 1
    tree.records = <double *> take(most_records(tree) * record_bytes(tree))
    if tree.nodes == NULL or tree.rows == NULL:
        return False
    return tree.edges != NULL and tree.actions != NULL and tree.records != NULL


cdef void tree_close(Tree *tree) noexcept:
    release(tree.nodes, (tree.mask + 1) * sizeof(Node))
    give_back(tree.rows, tree.max_rows * sizeof(Row))
    give_back(tree.edges, tree.max_edges * sizeof(Edge))
    give_back(tree.actions, tree.max_edges * sizeof(action_t))
    give_back(tree.records, most_records(tree) * record_bytes(tree))
    memset(tree, 0, sizeof(Tree))


cdef void tree_clear(Tree *tree) noexcept nogil:
    """Remove every node; the memory stays."""
    memset(tree.nodes, 0, (tree.mask + 1) * sizeof(Node))
    tree.num_nodes = 0
    tree.num_rows = 0
    tree.num_edges = 0
    tree.num_records = 1
    tree.cleared += 1
    tree.full = False


cdef uint64_t tree_bytes(const Tree *tree) noexcept nogil:
    """Return the memory in use; the table of nodes counts in full."""
    cdef uint64_t nodes = (tree.mask + 1) * sizeof(Node) + tree.num_rows * sizeof(Row)
    return nodes + tree.num_edges * EDGE_BYTES + tree.num_records * record_bytes(tree)


cdef uint32_t place_of(const Tree *tree, uint64_t key) noexcept nogil:
    """Return the place of the node with the key, or the free one where it belongs."""
    cdef uint32_t place = <uint32_t> key & tree.mask
    cdef uint64_t there = peek_key(&tree.nodes[place].key)
    while there != 0 and there != key:
        place = (place + 1) & tree.mask
        there = peek_key(&tree.nodes[place].key)
    return place


cdef uint32_t tree_find(const Tree *tree, uint64_t key) noexcept nogil:
    """Return the node of a key, or NO_NODE."""
    cdef uint32_t place = place_of(tree, key)
    return place if read_span(&tree.nodes[place].first).count else NO_NODE


cdef bint tree_crowded(const Tree *tree) noexcept nogil:
    """Whether more than half of its memory is taken."""
    return tree.num_edges > tree.max_edges // 2 or tree.num_nodes > tree.max_nodes // 2


cdef uint32_t tree_enter(Tree *tree, uint64_t key, uint64_t parent, const action_t *legal, int n) noexcept nogil:
    """Return the node of a key with an edge for each of the legal actions; NO_NODE if there is no memory for that.

    `parent` is the key of the node from which it was reached, 0 at the root.
    """
    cdef uint32_t place = place_of(tree, key)
    cdef Node *node = &tree.nodes[place]
    if node.count:
        note_parent(tree, node, parent)
        if covers(tree, span_t(node.first, node.count, 0), legal, n) or widen(tree, node, parent, legal, n):
            return place
        return NO_NODE
    if not has_room(tree, n) or not tree_grow(tree):
        tree.full = True
        return NO_NODE
    node = &tree.nodes[place_of(tree, key)]
    tree.num_nodes += 1
    node.key = key
    node.marks = mark_of(parent)
    begin_row(tree, node, parent)
    append(tree, node, legal, n)
    return <uint32_t> (node - tree.nodes)


cdef inline bint has_room(const Tree *tree, int n) noexcept nogil:
    """Whether there is memory for a row of n edges, of one more node."""
    if tree.num_nodes == tree.max_nodes or tree.num_rows == tree.max_rows:
        return False
    return tree.num_edges + n <= tree.max_edges


cdef uint16_t mark_of(uint64_t parent) noexcept nogil:
    """Return the mark of a parent."""
    return <uint16_t> (1 << ((parent >> 32) * PARENT_MARKS >> 32))


cdef inline void note_parent(Tree *tree, Node *node, uint64_t parent) noexcept nogil:
    """Add a link if a node is reached from a new parent, unless another parent has the same mark.

    This runs at every step of a search, so it reads only the node; about one link in fifteen is missed for that.
    """
    if node.marks & mark_of(parent) or tree.num_rows == tree.max_rows:
        return
    node.marks |= mark_of(parent)
    tree.rows[tree.num_rows] = Row(node.key, parent, LINK, 0)
    tree.num_rows += 1


cdef bint tree_grow(Tree *tree) noexcept nogil:
    """Double the table when it is half full, up to its largest size. False if there is no memory for that."""
    cdef Node *old = tree.nodes
    cdef uint32_t i, places = tree.mask + 1
    if tree.num_nodes < places / 2 or places == tree.max_places:
        return True
    tree.nodes = <Node *> reserve(2 * places * sizeof(Node))
    if tree.nodes == NULL:
        tree.nodes = old
        return False
    tree.mask = 2 * places - 1
    for i in range(places):
        if old[i].count:
            tree.nodes[place_of(tree, old[i].key)] = old[i]
    release(old, places * sizeof(Node))
    return True


cdef inline void begin_row(Tree *tree, Node *node, uint64_t parent) noexcept nogil:
    node.first = tree.num_edges
    node.count = 0
    tree.rows[tree.num_rows] = Row(node.key, parent, node.first, 0)
    tree.num_rows += 1


cdef void append(Tree *tree, Node *node, const action_t *legal, int n) noexcept nogil:
    """Add edges to the row that is the last one."""
    memset(&tree.edges[tree.num_edges], 0, n * sizeof(Edge))
    memcpy(&tree.actions[tree.num_edges], legal, n * sizeof(action_t))
    tree.num_edges += n
    node.count = <uint16_t> (node.count + n)


cdef bint covers(const Tree *tree, span_t row, const action_t *legal, int n) noexcept nogil:
    """Whether every legal action has its edge."""
    cdef const action_t *actions = tree.actions + row.first
    cdef int i, e = 0
    if n == row.count and memcmp(actions, legal, n * sizeof(action_t)) == 0:
        return True
    for i in range(n):
        while e < row.count and actions[e] < legal[i]:
            e += 1
        if e == row.count or actions[e] != legal[i]:
            return False
    return True


cdef uint32_t visits_to(const Tree *tree, span_t row) noexcept nogil:
    """Return how often the node of a row was visited: each visit took one of its actions."""
    cdef uint32_t edge, visits = 0
    for edge in range(row.first, row.first + row.count):
        visits += peek_count(&tree.edges[edge].visits)
    return visits


cdef bint widen(Tree *tree, Node *node, uint64_t parent, const action_t *legal, int n) noexcept nogil:
    """Give the node a new row: the old edges and those of the legal actions, merged. False without memory."""
    cdef uint32_t old = node.first, end = node.first + node.count
    cdef uint32_t visits = visits_to(tree, span_t(node.first, node.count, 0))
    cdef int i = 0
    if tree.num_rows == tree.max_rows or tree.num_edges + node.count + n > tree.max_edges:
        tree.full = True
        return False
    begin_row(tree, node, parent)
    while i < n or old < end:
        if i < n and (old == end or legal[i] < tree.actions[old]):
            append(tree, node, &legal[i], 1)
            tree.edges[tree.num_edges - 1].missing = visits
            i += 1
            continue
        i += i < n and legal[i] == tree.actions[old]
        append(tree, node, &tree.actions[old], 1)
        tree.edges[tree.num_edges - 1] = tree.edges[old]
        old += 1
    return True


cdef double *record_of(Tree *tree, uint32_t edge) noexcept nogil:
    """Return the record of an edge, creating it if necessary."""
    cdef uint32_t *place = &tree.edges[edge].record
    if place[0] == 0:
        place[0] = tree.num_records
        tree.num_records += 1
        memset(tree.records + place[0] * record_numbers(tree), 0, record_bytes(tree))
    return tree.records + place[0] * record_numbers(tree)


cdef int most_visited(const Tree *tree, uint64_t key, const action_t *legal, int n) noexcept nogil:
    """Return the legal action that was taken most often, -1 if none ever was."""
    cdef uint32_t place = tree_find(tree, key), edge, visits = 0
    cdef int i = 0, best = -1
    if place == NO_NODE:
        return -1
    for edge in range(tree.nodes[place].first, tree.nodes[place].first + tree.nodes[place].count):
        while i < n and legal[i] < tree.actions[edge]:
            i += 1
        if i < n and legal[i] == tree.actions[edge] and tree.edges[edge].visits > visits:
            best = legal[i]
            visits = tree.edges[edge].visits
    return best
